import type { AlertRow } from '../../db/tables/tables.ts'
import type { SentNotification } from '../alerts/alert-store.ts'
import { isReached } from '../alerts/notify-ends.ts'
import type { Draft } from '../outbox-store.ts'
import { conditionDraft } from './condition-draft.ts'

type Ends = { ended: AlertRow[]; tellings: SentNotification[]; alreadySent: Draft[] }

/** One to every channel that was notified of the beginning. */
export function endsOf(
  { ended, tellings, alreadySent }: Ends,
  organizationId: number,
  options: { publicUrl: string; nowMs: number },
): Draft[] {
  return ended.flatMap((alert) => {
    const reached = [...tellings.filter(isReached), ...alreadySent].filter(({ alert_id }) => alert_id === alert.id)
    const byChannel = new Map(reached.map((one) => [one.channel_id, one]))
    return [...byChannel.values()].map((one) =>
      conditionDraft({ ...one, organization_id: organizationId }, { alert, message: null, advice: null }, options),
    )
  })
}
