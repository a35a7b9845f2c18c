import { send, sendAuthorized } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { attempt } from '../../ui/action.ts'
import type { ListedReport, Schedule } from './types.ts'
import { scheduleDeletedText } from './words.ts'
import { deletedText, notDeletedText, notRestoredText } from '../../ui/named-words.ts'

export function rereadReports(): void {
  invalidate('/reports')
}

/** Deletes a report; `next` is called once it is deleted. */
export async function deleteReport(
  { id, title }: Pick<ListedReport, 'id' | 'title'>,
  next?: () => void,
): Promise<void> {
  const outcome = await attempt(() => send('DELETE', `/reports/${id}`), {
    done: deletedText(title),
    failed: notDeletedText(title),
  })
  if (!('result' in outcome)) return
  next?.()
  invalidate('/reports?')
}

/** Deletes a schedule. If that is undone, the schedule begins with the running period. */
export async function deleteSchedule({
  id,
  name,
  interval,
  time_zone,
  selector,
  channel_ids,
}: Schedule): Promise<void> {
  const body = { name, interval, time_zone, selector, channel_ids }
  const restore = () => {
    return attempt(() => send('POST', '/reports/schedules', { body }), {
      failed: notRestoredText(name),
      ended: rereadReports,
    })
  }
  await attempt(() => send('DELETE', `/reports/schedules/${id}`), {
    done: scheduleDeletedText(name),
    undo: restore,
    failed: notDeletedText(name),
    ended: rereadReports,
  })
}

export type ReportFormat = 'html' | 'csv' | 'json'

/** File of a report, with its name. */
export async function readFile(id: number, format: ReportFormat): Promise<{ content: Blob; name: string }> {
  const response = await sendAuthorized('GET', `/reports/${id}?format=${format}`, {})
  const match = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')
  return { content: await response.blob(), name: match?.[1] ?? `report-${id}.${format}` }
}
