import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow, NotificationRow, SloRow } from '../../db/tables/tables.ts'
import { parseBurnRates } from '../../slos/arithmetic/burn-rates.ts'
import { type Finding, nothingFound, type Standing } from '../alerts/alert-states.ts'
import { listEndedAlerts, listEndedConditions, listRulesInForce, type SentNotification } from '../alerts/alert-store.ts'
import { notifyOfEnds } from '../alerts/notify-ends.ts'
import { endsOf } from '../conditions/condition-ends.ts'
import { queueNotifications } from '../outbox-store.ts'
import { findState } from '../rules/rule-store.ts'
import { listNeverEnded, requeueEnds } from './requeue-store.ts'

type Deps = { clock: Clock; publicUrl: () => string }

/**
 * Of these notifications, which have just been queued again, those of alerts that are over already are followed by their
 * recovery: what they open at an incident tool would else stay open for ever.
 */
export async function endAgain(deps: Deps, trx: Db, ids: number[]): Promise<void> {
  const nowMs = deps.clock.now()
  await requeueEnds(trx, ids, nowMs)
  const told = Map.groupBy(await listNeverEnded(trx, ids), ({ alert_id }) => alert_id)
  if (told.size === 0) return
  await endConditionsAgain(deps, trx, told, nowMs)
  for (const { slo, alert } of await listEndedAlerts(trx, [...told.keys()])) {
    const rows = told.get(alert.id) ?? []
    const rules = (await listRulesInForce(trx, [slo.id])).filter((rule) =>
      rows.some(({ channel_id }) => channel_id === rule.channel_id),
    )
    const standings = [await standingOf(trx, slo, alert)]
    const drafts = notifyOfEnds(deps, { standings, rules, tellings: rows.map(asTold) })
    await queueNotifications(trx, drafts, nowMs)
  }
}

async function endConditionsAgain(
  { publicUrl }: Deps,
  trx: Db,
  told: Map<number | null, NotificationRow[]>,
  nowMs: number,
): Promise<void> {
  for (const alert of await listEndedConditions(trx, [...told.keys()])) {
    const tellings = (told.get(alert.id) ?? []).map(asTold)
    const known = { ended: [alert], tellings, alreadySent: [] }
    await queueNotifications(trx, endsOf(known, alert.organization_id, { publicUrl: publicUrl(), nowMs }), nowMs)
  }
}

async function standingOf(trx: Db, slo: SloRow, alert: AlertRow): Promise<Standing> {
  const state = slo.active === 1 ? await findState(trx, slo.id, slo.revision) : undefined
  const known = state?.measured_at ? { state, atSeconds: state.measured_at / 1000 } : null
  const evaluation: Finding = known
    ? {
        atSeconds: known.atSeconds,
        status: known.state.status,
        current: known.state.current_value,
        budgetUsed: known.state.budget_used,
        burnRates: parseBurnRates(known.state),
      }
    : nothingFound(alert.ended_at ?? 0)
  return { slo, evaluation, open: [], ended: [alert] }
}

function asTold(row: NotificationRow): SentNotification {
  return { ...row, channel_enabled: 1 }
}
