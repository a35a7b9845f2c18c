import type { Db } from '../../db/open.ts'
import type { IncidentRow, SloRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { burnRate } from '../../slos/arithmetic/burn-rates.ts'
import type { RecentBurn, SloState } from '../../slos/arithmetic/state.ts'
import type { ListMinutes } from './incident-cost.ts'
import { findLastEnd, listOpenIncidents, putSloStates, type StoredState, updateIncident } from './incident-store.ts'

type Evaluated = { slo: SloRow; evaluation: Evaluation }

/**
 * Recent burn of an SLO in this state, without the time before its incident last began to fail or, while `recovering`, before it
 * recovered; null: not known.
 */
export async function recentSince(
  trx: Db,
  { slo, evaluation: { recent, atSeconds } }: Evaluated,
  { state, since, recovered_at }: Pick<IncidentRow, 'since' | 'recovered_at'> & { state: SloState },
  listMinutes: ListMinutes,
): Promise<RecentBurn | null> {
  const firstSeconds = state === 'recovering' ? Math.ceil((recovered_at ?? since) / 60) * 60 : since
  if (!recent || firstSeconds <= atSeconds - recent.seconds) return recent
  if (firstSeconds >= atSeconds) return state === 'recovering' ? { ...recent, rate: 0 } : recent
  return (await countFrom(trx, { slo, recent, firstSeconds, atSeconds }, listMinutes)) ?? recent
}

/** Recent burn of an SLO without an incident, without the time up to the end of its last outage; `rate` null: nothing was measured since. */
export async function recentAfterOutage(
  trx: Db,
  { slo, evaluation: { recent, atSeconds } }: Evaluated,
  endedSeconds: number,
  listMinutes: ListMinutes,
): Promise<RecentBurn | null> {
  const firstSeconds = Math.ceil(endedSeconds / 60) * 60
  if (!recent || firstSeconds <= atSeconds - recent.seconds) return recent
  return (await countFrom(trx, { slo, recent, firstSeconds, atSeconds }, listMinutes)) ?? { ...recent, rate: null }
}

/** Time at which an SLO was last resumed or restored, in Unix seconds; -Infinity: never. Earlier failures do not count for its state. */
export function resumedSeconds({ resumed_at }: Pick<SloRow, 'resumed_at'>): number {
  return resumed_at === null ? -Infinity : Math.floor(resumed_at / 1000)
}

/**
 * Earliest begin of a new incident of an SLO, in Unix seconds: the end of its last incident or the time at which it was
 * resumed, whichever is later; -Infinity: neither.
 */
export async function earliestBegin(trx: Db, slo: SloRow): Promise<number> {
  return Math.max(resumedSeconds(slo), (await findLastEnd(trx, slo.id)) ?? -Infinity)
}

/** Recent burn from a full minute (`firstSeconds`) on, counted from the stored minutes; null: nothing was measured since. */
async function countFrom(
  trx: Db,
  {
    slo,
    recent,
    firstSeconds,
    atSeconds,
  }: { slo: SloRow; recent: RecentBurn; firstSeconds: number; atSeconds: number },
  listMinutes: ListMinutes,
): Promise<RecentBurn | null> {
  const range = { sloId: slo.id, revision: slo.revision, startSeconds: firstSeconds, endSeconds: atSeconds }
  const minutes = firstSeconds < atSeconds ? await listMinutes(trx, range) : []
  const total = minutes.reduce((sum, one) => sum + one.total, 0)
  if (total <= 0) return null
  const bad = minutes.reduce((sum, one) => sum + Math.max(0, one.total - one.good), 0)
  const isCounted = recent.events !== null
  return {
    ...recent,
    seconds: atSeconds - firstSeconds,
    rate: burnRate(Math.max(0, 1 - bad / total), slo.target),
    events: isCounted ? total : null,
    badEvents: isCounted ? bad : null,
  }
}

/** Raises the highest burn rate of an open incident to the current one, which leaves out the time before the incident began. */
export async function raisePeak(trx: Db, incident: IncidentRow, burnRateNow: number | null): Promise<IncidentRow> {
  const isLower = burnRateNow === null || burnRateNow <= (incident.peak_burn_rate ?? 0)
  if (isLower || incident.closed_at !== null) return incident
  await updateIncident(trx, incident.id, { peak_burn_rate: burnRateNow })
  return { ...incident, peak_burn_rate: burnRateNow }
}

/**
 * Stores the current burn rates of just edited SLOs that have an open incident; `before`: their stored states, which stay. Of an
 * incident it changes only the highest burn rate.
 */
export async function updateBurnRates(
  trx: Db,
  edited: (Evaluated & { before: Pick<StoredState, 'state' | 'reason' | 'sinceSeconds'> })[],
  listMinutes: ListMinutes,
): Promise<void> {
  if (edited.length === 0) return
  const ids = edited.map(({ slo }) => slo.id)
  const incidentOf = new Map((await listOpenIncidents(trx, ids)).map((incident) => [incident.slo_id, incident]))
  const states: StoredState[] = []
  for (const one of edited) {
    const { slo, evaluation, before } = one
    const incident = incidentOf.get(slo.id)
    if (!incident) continue
    const isDown = before.state === 'down' && evaluation.outage?.isDown === true
    const recent = isDown ? null : await recentSince(trx, one, { ...incident, state: before.state }, listMinutes)
    const burnRateNow = isDown ? burnRate(0, slo.target) : (recent?.rate ?? null)
    await raisePeak(trx, incident, burnRateNow)
    states.push({ sloId: slo.id, ...before, burnRateNow })
  }
  if (states.length > 0) await putSloStates(trx, states)
}
