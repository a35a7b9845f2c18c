import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { tidy } from '../../slos/arithmetic/budget.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { listEarlierValues, listStates, listStatesOf } from '../state-store.ts'
import { readState, type StateNow } from '../read-state.ts'
import { finestKept, sliOfSum, sumWindows } from '../../ledger/window-sums.ts'

type Deps = { db: Database; clock: Clock; config: Pick<Config, 'evaluationIntervalSeconds'> }

/** How an SLO stands, and how far its current value is from that of a day and a week ago, in points. */
export type RealTimeMetric = { slo: SloRow; now: StateNow; dayChange: number | null; weekChange: number | null }

/** All active SLOs of an organization from what is stored, in a fixed number of statements; no source is queried. */
export async function realTimeMetrics({ db, clock, config }: Deps, organizationId: number): Promise<RealTimeMetric[]> {
  const nowMs = clock.now()
  const states = await listStates(db.read, organizationId)
  await nextTurn() // SQLite answers at once
  const ids = states.map(({ slo }) => slo.id)
  const earlier = await listEarlierValues(db.read, ids, Math.floor(nowMs / 1000))
  await nextTurn()
  const earlierOf = new Map(earlier.map((values) => [values.id, values]))
  const slosNow = states.map(({ slo, state }) => {
    const { dayAgo = null, weekAgo = null } = earlierOf.get(slo.id) ?? {}
    return { slo, now: readState(state, nowMs, config.evaluationIntervalSeconds), dayAgo, weekAgo }
  })
  const known = slosNow.filter(({ now }) => now.current !== null)
  const slosWithout = (when: 'dayAgo' | 'weekAgo') => known.filter((one) => one[when] === null).map(({ slo }) => slo)
  const nowSeconds = Math.floor(nowMs / 1000)
  const dayAgoOf = await valuesInLedger(db.read, slosWithout('dayAgo'), nowSeconds - 86_400, nowSeconds)
  const weekAgoOf = await valuesInLedger(db.read, slosWithout('weekAgo'), nowSeconds - 7 * 86_400, nowSeconds)
  return slosNow.map(({ slo, now, ...found }) => {
    const dayAgo = found.dayAgo ?? dayAgoOf.get(slo.id) ?? null
    const weekAgo = found.weekAgo ?? weekAgoOf.get(slo.id) ?? null
    return { slo, now, dayChange: change(now.current, dayAgo), weekChange: change(now.current, weekAgo) }
  })
}

/**
 * What the current value would have been at a time from which there is no evaluation, as for the past of a new SLO, in
 * percent. Where minutes are no longer kept, that of the last whole hour (or day).
 */
async function valuesInLedger(
  db: Db,
  slos: SloRow[],
  atSeconds: number,
  nowSeconds: number,
): Promise<Map<number, number>> {
  const windows = slos.map((slo) => {
    const seconds = windowSeconds(currentWindow(slo.time_window))
    const kept = finestKept(atSeconds - Math.max(seconds, 3600), nowSeconds)
    const endSeconds = Math.floor(atSeconds / kept) * kept
    return {
      sloId: slo.id,
      revision: slo.revision,
      startSeconds: endSeconds - Math.max(seconds, kept),
      endSeconds,
    }
  })
  const sums = await sumWindows(db, windows, nowSeconds)
  const values = new Map<number, number>()
  windows.forEach(({ sloId, startSeconds, endSeconds }, n) => {
    const sum = sums[n]
    const ratio = sum ? sliOfSum(sum, endSeconds - startSeconds).ratio : null
    if (ratio !== null) values.set(sloId, ratio * 100)
  })
  return values
}

function change(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : tidy(now - before)
}

/** What live clients are sent of those of the SLOs that have not been deleted, as they are stored. */
export async function listLiveSlos({ db, clock, config }: Deps, ids: number[]) {
  const states = await listStatesOf(db.read, ids)
  return states.map(({ slo, state }) => {
    const { status, current, budgetUsed, evaluatedAtMs } = readState(
      state,
      clock.now(),
      config.evaluationIntervalSeconds,
    )
    return {
      sloId: slo.id,
      organizationId: slo.organization_id,
      status,
      current: tidy(current),
      target: slo.target,
      budgetUsed,
      evaluatedAtMs,
      atMs: Math.max(evaluatedAtMs ?? 0, slo.updated_at),
    }
  })
}
