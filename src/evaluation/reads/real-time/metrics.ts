import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../../../clock.ts'
import { inChunks } from '../../../concurrency/chunks.ts'
import type { Config } from '../../../config.ts'
import type { Database, Db } from '../../../db/open.ts'
import type { StateRow } from '../../../db/tables/tables.ts'
import { round10 } from '../../../slos/arithmetic/budget.ts'
import { currentWindow, windowSeconds } from '../../../slos/arithmetic/windows.ts'
import { listEarlierValues, listActiveSloIds, listSummaryStates, type SloSummary } from '../../state-store.ts'
import { readState, type CurrentState } from '../../read-state.ts'
import { finestStoredResolution } from '../../../ledger/window-spans.ts'
import { sumWindows } from '../../../ledger/window-sums.ts'
import { sliOfSum } from '../../../slos/arithmetic/window-sum.ts'

export type Deps = { db: Database; clock: Clock; config: Pick<Config, 'evaluationIntervalSeconds'> }

/** State of an SLO, and the change of its current value since a day and a week ago, in percentage points. */
export type RealTimeMetric = {
  slo: SloSummary
  state: CurrentState
  dayChange: number | null
  weekChange: number | null
}

/** Stored values that a `RealTimeMetric` is made from; `dayAgo` and `weekAgo` in percent. */
export type StoredMetric = { slo: SloSummary; state: StateRow | null; dayAgo: number | null; weekAgo: number | null }

const batchSize = 500

/** All active SLOs of an organization from stored data, newest first; no source is queried. */
export async function realTimeMetrics(deps: Deps, organizationId: number): Promise<RealTimeMetric[]> {
  const nowMs = deps.clock.now()
  const metrics: RealTimeMetric[] = []
  for (const ids of inChunks(await listActiveSloIds(deps.db.read, organizationId), batchSize)) {
    for (const stored of await readStored(deps, ids, nowMs)) metrics.push(metricAt(stored, nowMs, deps.config))
  }
  return metrics
}

/** Reads the active ones of these SLOs, in the order of the ids, in a fixed number of statements; for some hundred ids. */
export async function readStored({ db, config }: Deps, ids: number[], nowMs: number): Promise<StoredMetric[]> {
  const nowSeconds = Math.floor(nowMs / 1000)
  const states = await listSummaryStates(db.read, ids)
  await yieldToEventLoop() // SQLite is synchronous
  const earlier = await listEarlierValues(db.read, ids, nowSeconds)
  await yieldToEventLoop()
  const earlierOf = new Map(earlier.map((values) => [values.id, values]))
  const storedMetrics = states.map(({ slo, state }): StoredMetric => {
    const { dayAgo = null, weekAgo = null } = earlierOf.get(slo.id) ?? {}
    return { slo, state, dayAgo, weekAgo }
  })
  const isKnown = ({ state }: StoredMetric) =>
    readState(state, nowMs, config.evaluationIntervalSeconds).current !== null
  const withoutPast = storedMetrics.filter((one) => (one.dayAgo === null || one.weekAgo === null) && isKnown(one))
  for (const [when, seconds] of [
    ['dayAgo', 86_400],
    ['weekAgo', 7 * 86_400],
  ] as const) {
    const lacking = withoutPast.filter((one) => one[when] === null)
    const values = await valuesInLedger(
      db.read,
      lacking.map(({ slo }) => slo),
      nowSeconds - seconds,
      nowSeconds,
    )
    for (const one of lacking) one[when] = values.get(one.slo.id) ?? null
  }
  return storedMetrics
}

/** Time, in ms, until which the values of a day and a week ago stay the same: evaluations and buckets end at whole minutes. */
export function pastValuesValidUntil(nowMs: number): number {
  const seconds = Math.floor(nowMs / 1000)
  return (seconds % 60 === 0 ? seconds + 1 : Math.ceil(seconds / 60) * 60) * 1000
}

export function metricAt(
  { slo, state, dayAgo, weekAgo }: StoredMetric,
  nowMs: number,
  { evaluationIntervalSeconds }: Deps['config'],
): RealTimeMetric {
  const read = readState(state, nowMs, evaluationIntervalSeconds)
  return { slo, state: read, dayChange: change(read.current, dayAgo), weekChange: change(read.current, weekAgo) }
}

/**
 * Current values at an earlier time without an evaluation, such as before a new SLO was created; in percent, by SLO id. If
 * minutes are no longer kept, the value of the last whole hour (or day).
 */
async function valuesInLedger(
  db: Db,
  slos: SloSummary[],
  atSeconds: number,
  nowSeconds: number,
): Promise<Map<number, number>> {
  const windows = slos.map((slo) => {
    const seconds = windowSeconds(currentWindow(slo.time_window))
    const resolution = finestStoredResolution(atSeconds - Math.max(seconds, 3600), nowSeconds)
    const endSeconds = Math.floor(atSeconds / resolution) * resolution
    return {
      sloId: slo.id,
      revision: slo.revision,
      startSeconds: endSeconds - Math.max(seconds, resolution),
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

function change(now: number | null, earlier: number | null): number | null {
  return now === null || earlier === null ? null : round10(now - earlier)
}
