import type { Alert, OneAlert } from '../api/history.ts'
import { send } from '../api/client.ts'
import { sentenceOf } from '../api/problems.ts'
import { invalidate } from '../api/resource.ts'
import { toast } from '../ui/toast.tsx'
import { aboutOf } from './alert-words.ts'

type Named = Pick<Alert, 'id' | 'slo_name' | 'acknowledged'>

/** Acknowledges an alert, or changes the note of its acknowledgement. Throws `ApiError`. */
export async function acknowledge(alert: Named, note: string): Promise<void> {
  await send<OneAlert>('POST', pathOf(alert), { body: { note } })
  reread()
  if (alert.acknowledged) toast('The note was changed.')
  else toast(`${aboutOf(alert)}: acknowledged.`, { undo: () => void withdraw(alert) })
}

/** Withdraws an acknowledgement, and shows a message about the outcome. */
export async function withdraw(alert: Named): Promise<void> {
  try {
    await send<OneAlert>('DELETE', pathOf(alert))
    toast(`${aboutOf(alert)}: no longer acknowledged.`)
  } catch (error) {
    toast(`The alert stays acknowledged. ${sentenceOf(error)}`, { isProblem: true })
  }
  reread()
}

function pathOf({ id }: Named): string {
  return `/notifications/alerts/${id}/acknowledge`
}

/** Reads everything that shows alerts again. */
function reread(): void {
  invalidate('/notifications/alerts')
  invalidate('/slos/')
}
