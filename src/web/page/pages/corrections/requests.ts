import { send } from '../../api/client.ts'
import type { Silence } from '../../api/history.ts'
import { invalidate } from '../../api/resource.ts'
import { now } from '../../clock.ts'
import { attempt } from '../../ui/action.ts'
import { categoryWords, type Correction, correctionDeletedText } from './words.ts'
import { notDeletedText, notRestoredText } from '../../ui/named-words.ts'

/** Reads everything that a correction changes again. */
export function rereadCorrected(): void {
  invalidate('/corrections')
  invalidate('/slos/')
}

/** Deletes a correction, which can be undone. Its silence ends with it; the undo makes another silence if that was in force. */
export async function deleteCorrection(of: Correction): Promise<void> {
  const { id, slo_ids, team_id, labels, from, to, rrule, duration_seconds, time_zone, category, text } = of
  const sent = { slo_ids, team_id, labels, from, to, rrule, duration_seconds, time_zone, category, text }
  const fields = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  const name = categoryWords[category]
  let wasSilenced = false
  const deleteIt = async () => {
    wasSilenced = await isSilenced(of)
    await send('DELETE', `/corrections/${id}`)
  }
  const restore = () => {
    const hold_alerts = wasSilenced && to !== null && Date.parse(to) > now()
    return attempt(() => send('POST', '/corrections', { body: { ...fields, hold_alerts } }), {
      failed: notRestoredText(name),
      ended: rereadCorrected,
    })
  }
  await attempt(deleteIt, {
    done: correctionDeletedText(name),
    undo: restore,
    failed: notDeletedText(name),
    ended: rereadCorrected,
  })
}

async function isSilenced({ silence_id }: Correction): Promise<boolean> {
  if (silence_id === null) return false
  const { data } = await send<{ data: Silence }>('GET', `/notifications/silences/${silence_id}`)
  return data.state !== 'expired'
}
