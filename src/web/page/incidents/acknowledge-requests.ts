import type { Alert, SloIncident } from '../api/history.ts'
import { send } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { attempt } from '../ui/action.ts'
import { toast } from '../ui/toast.ts'
import { aboutOf } from './alert-words.ts'
import { acknowledgedText, acknowledging, withdrawnText } from './words.ts'

/** An alert or incident that can be acknowledged: its API path, the name of its SLO, and who has acknowledged it. */
export type Acknowledgeable = Pick<Alert, 'acknowledged'> & { path: string; name: string; what: 'alert' | 'incident' }

export function ofAlert(alert: Alert): Acknowledgeable {
  const { id, acknowledged } = alert
  return { path: `/notifications/alerts/${id}`, name: aboutOf(alert), acknowledged, what: 'alert' }
}

export function ofIncident({ id, slo_name: name, acknowledged }: SloIncident): Acknowledgeable {
  return { path: `/incidents/${id}`, name, acknowledged, what: 'incident' }
}

/** Acknowledges an alert or incident, or changes the note of its acknowledgement. Throws `ApiError`. */
export async function acknowledge(of: Acknowledgeable, note?: string): Promise<void> {
  await send('POST', `${of.path}/acknowledge`, { body: note === undefined ? {} : { note } })
  reread()
  if (of.acknowledged) toast('The note was changed.')
  else toast(acknowledgedText(of.name), { undo: () => void withdraw(of) })
}

/** Withdraws an acknowledgement, and shows a message about the outcome. */
export async function withdraw(of: Acknowledgeable): Promise<void> {
  await attempt(() => send('DELETE', `${of.path}/acknowledge`), {
    done: withdrawnText(of.name),
    failed: acknowledging[of.what].kept,
    ended: reread,
  })
}

/** Reads everything that shows alerts or incidents again. */
export function reread(): void {
  invalidate('/incidents')
  invalidate('/notifications/alerts')
  invalidate('/slos/')
}
