import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { type Bucket, type MeasuredBuckets, minute } from '../ledger/bucket.ts'
import {
  type CounterSides,
  goodOf,
  type Increase,
  queryIncreases,
  partialAnswer,
} from '../ledger/counters/query-counters.ts'
import { countsEvents } from '../ledger/measure/measure-ledger.ts'
import { measureOneWithoutCounters } from '../ledger/measure/measure-without-counters.ts'
import { sumRollingWindows } from '../ledger/rolling-window/rolling-window.ts'
import {
  type CompleteMemory,
  listComplete,
  type StoredWindow,
  sumStoredWindows,
} from '../ledger/rolling-window/stored-windows.ts'
import type { StartMinutes } from '../ledger/rolling-window/window-start.ts'
import { masksOf } from '../ledger/excluded/masks.ts'
import { measure } from '../sli/measure.ts'
import type { PlannedSlo, SliPlan } from '../sli/plan/plan.ts'
import { inferUnit, type Measurement, noData, noTraffic, type Sli, sliOf, unitOfPlan } from '../sli/sli.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'
import { currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { probesReadBy, type ProbeStatus } from './outage.ts'
import { type Excluded, exclusionAt } from './corrections/excluded.ts'
import { createQuerySession } from '../sources/query-session.ts'
import { withSharedDeadline, type Source } from '../sources/source.ts'

/** SLOs of one source that are evaluated together. */
export type Chunk = {
  source: Source
  /** Identifies the source's configuration; when it changes, nothing learned from the old one is reused. */
  origin: string
  /** True if the source is the embedded one, whose probes are known. */
  isEmbedded: boolean
  planned: PlannedSlo[]
  /** End of every window: a whole minute, in Unix seconds. */
  atSeconds: number
  /** True while there is time to renew values that are only aged or invalidated. */
  hasTime: () => boolean
}

/** Measured values of an SLO: `current` over its current window, `own` (null: not queried) and `events` over its own window. */
export type Values = {
  current: Sli | { error: AppError }
  own: Sli | { error: AppError } | null
  events: { good: number; total: number } | null
  /** Events, or seconds, of `own`, not rounded; null: not known. */
  sum: { good: number; total: number } | null
  /** Origin of `own`: counters, as the source has them, buckets of the ledger, or a query over the whole window. */
  basis: 'counters' | 'buckets' | 'whole'
  /** Part of the window that corrections leave out of `own`; null: nothing. */
  excluded: Excluded | null
  /** Reason why `own` covers only part of its window; null: none is known. */
  note: string | null
  /** Checks of the current minute, if the windows include them; absent: they do not. */
  currentMinute?: CurrentMinute
}

/** Runs of an embedded probe since the last whole minute, at least one of which failed. */
export type CurrentMinute = Pick<Bucket, 'good' | 'total' | 'coveredSeconds'>

/** State kept from one evaluation to the next, by SLO id; it may be lost. */
export type Memory = {
  /** Latest measurements of own windows that are queried as a whole; they are not queried at every evaluation. */
  ownWindows: Map<number, { origin: string; atSeconds: number; measured: Measurement }>
  minutes: StartMinutes
  complete: CompleteMemory
  /** Status, outage and burn rates that were last stored, as text: alerts may change where these do. */
  outcomes: Map<number, string>
}

export function createMemory(): Memory {
  return { ownWindows: new Map(), minutes: new Map(), complete: new Map(), outcomes: new Map() }
}

type Deps = {
  db: Database
  clock: Clock
  memory: Memory
  probesOf: (organizationId: number) => readonly ProbeStatus[] | null
}
type Minutes = Map<number, MeasuredBuckets>

/**
 * Measures both windows of each SLO; returns the values by SLO id. A failure affects only its own SLO. SLOs whose `minutes` the
 * source did not answer for are not queried again.
 */
export async function measureValues(deps: Deps, chunk: Chunk, minutes: Minutes): Promise<Map<number, Values>> {
  const values = new Map<number, Values>()
  for (const [id, result] of minutes) {
    if ('error' in result && result.error.kind === 'source_unavailable') values.set(id, failedValues(result.error))
  }
  const answering = chunk.planned.filter(({ slo }) => !values.has(slo.id))
  const counted = answering.flatMap(({ slo, plan: { counters } }) =>
    counters ? [{ sloId: slo.id, slo, counters }] : [],
  )
  const others = answering.filter(({ plan }) => plan.counters === null)
  const summed = others.filter(({ slo, plan }) => isSummed(plan, slo) && 'buckets' in (minutes.get(slo.id) ?? {}))
  const [fromCounters, fromBuckets] = await Promise.all([
    measureFromCounters(deps, chunk, counted, minutes),
    measureFromBuckets(deps, chunk, summed),
  ])
  const fullWindows = others
    .filter(({ slo }) => !fromBuckets.has(slo.id))
    .map(async (one) => [one.slo.id, await measureFullWindow(deps, chunk, one)] as const)
  return new Map([...values, ...fromCounters, ...fromBuckets, ...(await Promise.all(fullWindows))])
}

/** True if the windows of an SLO are sums of its buckets: it counts no events, and the unit of its values is known. */
function isSummed(plan: SliPlan, slo: PlannedSlo['slo']): boolean {
  return !plan.isRawQuantity && !countsEvents(plan) && unitOfPlan(plan, slo, []) !== null
}

/**
 * Sums both windows from buckets, for SLOs whose buckets are complete and have data in both windows. If a run of an embedded probe
 * failed in the current minute, the windows of the SLOs that read it include that minute, before it is over.
 */
async function measureFromBuckets(
  { db, memory: { minutes, complete }, probesOf }: Deps,
  { source, origin, atSeconds, isEmbedded }: Chunk,
  planned: PlannedSlo[],
): Promise<Map<number, Values>> {
  const deps = { db, source, minutes, complete, atSeconds }
  const ready = await listComplete(deps, planned)
  const windows = ready.flatMap((one) => {
    const requestFor = (seconds: number) => ({ planned: one, seconds, origin: `${origin} ${one.slo.revision}` })
    const currentSeconds = windowSeconds(currentWindow(one.slo.time_window))
    return [requestFor(currentSeconds), requestFor(ownWindow(one.slo, atSeconds).seconds)]
  })
  const sums = await sumStoredWindows(deps, windows)
  const masks = await masksOf(db)
  const failedOf = new Map<number, ProbeStatus[]>()
  const listFailed = (organizationId: number) =>
    (probesOf(organizationId) ?? []).filter(({ failedMs }) => (failedMs ?? 0) >= 1000 * atSeconds)
  const probed = ready.filter(({ slo: { id, organization_id }, plan: { probes, samples } }) => {
    if (!isEmbedded || !probes || !samples || exclusionAt(masks, id, 1000 * atSeconds)) return false
    const failed = failedOf.getOrInsertComputed(organization_id, listFailed)
    return probesReadBy(probes, failed).length > 0
  })
  const failingMinutes = new Map(
    await Promise.all(probed.map(async (one) => [one.slo.id, await failingMinute(source, one, atSeconds)] as const)),
  )
  return new Map(
    ready.flatMap(({ slo }, place): [number, Values][] => {
      const failing = failingMinutes.get(slo.id) ?? null
      const isOver = ownWindow(slo, atSeconds).nextSeconds === atSeconds // the current minute is of the next period
      const failingOfOwn = isOver ? null : failing
      const [currentSum, ownSum] = sums.slice(place * 2, place * 2 + 2)
      const current = currentSum && sliOfStoredWindow(currentSum, failing)
      const own = ownSum && sliOfStoredWindow(ownSum, failingOfOwn)
      if (!current || !own) return []
      const { good, total, note } = ownSum
      const sum = { good: good + (failingOfOwn?.good ?? 0), total: total + (failingOfOwn?.total ?? 0) }
      const values = { current, own, events: null, sum, basis: 'buckets' as const, excluded: null, note }
      return [[slo.id, { ...values, ...(failingOfOwn && { currentMinute: failingOfOwn }) }]]
    }),
  )
}

/** Measures the current minute, which begins at `startSeconds`; null if nothing failed in it. */
async function failingMinute(source: Source, planned: PlannedSlo, startSeconds: number): Promise<Bucket | null> {
  const span = { resolution: minute, startSeconds, endSeconds: startSeconds + minute }
  // Sample intervals as of the start of the minute: near its end, some of its samples may not have arrived yet.
  const measured = await measureOneWithoutCounters(source, planned, span, startSeconds)
  const bucket = 'buckets' in measured ? measured.buckets[0] : undefined
  return bucket && bucket.good < bucket.total ? bucket : null
}

function sliOfStoredWindow({ good, total }: StoredWindow, failing: Bucket | null): { percent: number } | null {
  if (total <= 0) return null
  return { percent: Math.min(1, (good + (failing?.good ?? 0)) / (total + (failing?.total ?? 0))) * 100 }
}

type Counted = { sloId: number; slo: PlannedSlo['slo']; counters: CounterSides }

/** Measures SLOs of counters: queries the current window, and takes the own window from the rolling window. */
async function measureFromCounters(
  { db, memory }: Deps,
  { source, origin, atSeconds, hasTime }: Chunk,
  counted: Counted[],
  minutes: Minutes,
): Promise<Map<number, Values>> {
  const shared = withSharedDeadline(source)
  const groups = Map.groupBy(counted, ({ slo }) => windowSeconds(currentWindow(slo.time_window)))
  const increases = await Promise.all(
    [...groups].map(([seconds, group]) => queryIncreases(shared, group, seconds, atSeconds)),
  )
  const currents = new Map(increases.flatMap((group) => [...group]))
  // A source that has just failed to answer is not queried over the longest windows.
  const answered = counted.filter(({ sloId }) => !('error' in (currents.get(sloId) ?? unanswered)))
  const windows = answered.map(({ sloId, slo, counters }) => {
    const measured = minutes.get(sloId)
    const own = ownWindow(slo, atSeconds)
    return {
      sloId,
      revision: slo.revision,
      origin: `${origin} ${slo.revision}`,
      counters,
      windowSeconds: own.seconds,
      fixedStartSeconds: own.nextSeconds === null ? null : own.startSeconds,
      lastBreakEnd: measured && 'lastBreakEnd' in measured ? measured.lastBreakEnd : null,
    }
  })
  const sums = await sumRollingWindows({ db, source, minutes: memory.minutes, atSeconds, hasTime }, windows)
  return new Map(
    counted.flatMap(({ sloId, counters }): [number, Values][] => {
      const current = currents.get(sloId)
      if (!current) return []
      const own = sums.get(sloId) ?? null
      const values: Values = {
        current: 'error' in current ? current : sliOfSides(counters, current),
        ...(own && !('error' in own) ? ownOfSides(counters, own) : { ...noOwn, own }),
        note: null,
      }
      return [[sloId, values]]
    }),
  )
}

const unanswered = { error: null }

/**
 * Queries both windows as a whole with `sli/measure`, for SLOs whose windows are not, or not yet, sums of buckets. The own window
 * is not queried every minute.
 */
async function measureFullWindow(
  deps: Deps,
  { source, origin: sourceOrigin, atSeconds }: Chunk,
  { slo, plan }: PlannedSlo,
): Promise<Values> {
  const { seconds: ownSeconds, name, nextSeconds } = ownWindow(slo, atSeconds)
  const origin = `${sourceOrigin} ${slo.revision} ${nextSeconds ?? slo.time_window}`
  const session = createQuerySession({ source, clock: deps.clock })
  const runner = session.over(name)
  const measureLast = (seconds: number) =>
    measure(runner, plan, { windowSeconds: seconds, endSeconds: atSeconds, withCounts: true, withCoverage: false })
  try {
    const current = await measureLast(windowSeconds(currentWindow(slo.time_window)))
    const last = deps.memory.ownWindows.get(slo.id)
    const maxAgeSeconds = Math.min(300, Math.max(60, ownSeconds / 1000)) // a thousandth of the window, within one to five minutes
    const isUsable = last?.origin === origin && last.atSeconds <= atSeconds && 'value' in last.measured.result
    const isFresh = isUsable && atSeconds - last.atSeconds < maxAgeSeconds
    const own = isFresh ? last.measured : await measureLast(ownSeconds)
    if (session.isPartial) throw partialAnswer()
    if (!isFresh) deps.memory.ownWindows.set(slo.id, { origin, atSeconds, measured: own })
    const unit = await inferUnit(deps.db, slo, plan, [own, current])
    const isFailing = plan.sides?.counts === 'bad'
    return {
      current: sliOf(current, unit, isFailing),
      own: sliOf(own, unit, isFailing),
      events: own.counts,
      sum: own.counts,
      basis: 'whole',
      excluded: null,
      note: null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return failedValues(error)
  }
}

/** Values of an SLO that could not be measured. */
export function failedValues(error: AppError): Values {
  return { current: { error }, ...noOwn, note: null }
}

const noOwn = { own: null, events: null, sum: null, basis: 'counters', excluded: null } as const

function sliOfSides({ counts }: CounterSides, { counted, total }: Increase): Sli {
  if (total === null) return noData
  if (total <= 0) return noTraffic
  const value = counts === 'good' ? counted / total : 1 - counted / total
  return sliOf({ result: { value, largest: value } }, 'ratio', counts === 'bad')
}

/** SLI and events of the own window, from the increases of its counters. */
export function ownOfSides(counters: CounterSides, increase: Increase): Omit<Values, 'current' | 'note'> {
  const { counted, total } = increase
  const sum = total === null ? null : { good: goodOf(counters, counted, total), total }
  const own = sliOfSides(counters, increase)
  return { own, events: eventsOf(counters, increase), sum, basis: 'counters', excluded: null }
}

function eventsOf(counters: CounterSides, { counted, total }: Increase): Values['events'] {
  if (total === null) return null
  return { good: Math.round(goodOf(counters, counted, total)), total: Math.round(total) }
}
