import type { Counter } from '../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../sources/source.ts'
import { floorTo, minute } from './bucket.ts'
import { queryCounters, type CounterAnswers } from './counters/query-counters.ts'
import {
  coarseInterval,
  fineInterval,
  type Quantity,
  defaultFineSeconds,
  withoutFineInterval,
} from './counters/quantities.ts'

/**
 * Sample intervals, in seconds, of the series behind a selector: of the one with the most samples, and of the one with the
 * fewest.
 */
export type SampleIntervals = { shortestSeconds: number; longestSeconds: number }

/**
 * `dueSeconds`: time from which they are learned again; `shorterDueSeconds`: from which the newest samples are looked at for shorter
 * ones; `emptyAttempts`: how often in a row nothing was found.
 */
type Learned = {
  intervals: SampleIntervals | null
  atSeconds: number
  dueSeconds: number
  shorterDueSeconds: number
  emptyAttempts: number
}

const validSeconds = 3600
const pastValidSeconds = 86_400
const slowValidSeconds = 600
const shorterRetrySeconds = 120
/** Time over which the newest interval is a median: a new interval shows after half of it, a single early sample does not. */
const newestFineSeconds = 300
const retrySeconds = 60
const maxRetrySeconds = 600
const maxSelectors = 50_000
/** A query for the current minute can be that much ahead of an evaluation. */
const maxAheadSeconds = 120
/** Intervals above the longest range of `fineInterval` are learned again sooner: a series back after a gap can seem this slow. */
const maxFineSeconds = 162
/** Multiples of these are the times at which `fineInterval` and `coarseInterval` can be evaluated. */
const alignSeconds = { fine: minute, coarse: 240 }

/**
 * Learned intervals by selector: at the latest time, and, for backfills, at an earlier one. `newestSeconds`: the latest time at which
 * any was learned.
 */
type Memory = {
  latest: Map<string, Learned>
  past: Map<string, Pick<Learned, 'intervals' | 'atSeconds'>>
  newestSeconds: number
}

let memories = new WeakMap<object, Memory>()

const memoryOf = (source: Source) =>
  memories.getOrInsertComputed(source.identity ?? source, () => ({
    latest: new Map(),
    past: new Map(),
    newestSeconds: 0,
  }))

/**
 * Learns the sample intervals behind selectors at a time, by the selector's text; null: no series has three samples yet.
 * Selectors that differ only in label values share queries. Intervals are cached for an hour, long ones for ten minutes; those
 * of an earlier time are used for up to a day before and after it. Unknown ones are queried again after one minute, then less
 * often. Intervals from 1 s to 3,600 s are found; one that is not a whole number of seconds, because of jitter, becomes the
 * nearest usual one. A failed query counts as nothing found; until one succeeds, the previous intervals are returned.
 */
export async function learnIntervals(
  source: Source,
  selectors: readonly Counter[],
  atSeconds: number,
): Promise<Map<string, SampleIntervals | null>> {
  const memory = memoryOf(source)
  const distinct = new Map(selectors.map((selector) => [selector.text, selector]))
  const due = [...distinct.values()].filter(({ text }) => !findKnown(memory, text, atSeconds))
  const learned =
    due.length === 0 ? new Map<string, SampleIntervals | null>() : await measureIntervals(source, due, atSeconds)
  for (const [text, intervals] of learned) remember(memory, text, intervals, atSeconds)
  await learnShorter(source, memory, [...distinct.values()], atSeconds)
  const intervalsOf = (text: string) =>
    learned.get(text) ?? (findKnown(memory, text, atSeconds) ?? memory.latest.get(text))?.intervals
  return new Map([...distinct.keys()].map((text) => [text, intervalsOf(text) ?? null]))
}

/** Latest intervals that `learnIntervals` has learned for a selector; null: none. */
export function knownIntervals(source: Source, { text }: Counter): SampleIntervals | null {
  return memoryOf(source).latest.get(text)?.intervals ?? null
}

/** Sets the intervals that `learnIntervals` returns for a selector until it has learned some. */
export function expectIntervals(
  source: Source,
  { text }: Counter,
  intervals: SampleIntervals,
  atSeconds: number,
): void {
  const { latest } = memoryOf(source)
  const previous = latest.get(text)
  latest.set(text, {
    ...(previous ?? { atSeconds, dueSeconds: atSeconds, shorterDueSeconds: Infinity, emptyAttempts: 0 }),
    intervals,
  })
}

/**
 * Makes `learnIntervals` look for shorter intervals of these selectors after two minutes, in the samples of the last five: for
 * intervals that are too long for a window of an alert. It looks once; call this again while they are too long.
 */
export function expectShorterIntervals(source: Source, selectors: readonly Counter[], atSeconds: number): void {
  const { latest } = memoryOf(source)
  for (const { text } of selectors) {
    const learned = latest.get(text)
    if (learned) learned.shorterDueSeconds = Math.min(learned.shorterDueSeconds, atSeconds + shorterRetrySeconds)
  }
}

/** Learns the intervals that became shorter; other intervals, and the times at which they were learned, stay. */
async function learnShorter(
  source: Source,
  { latest }: Memory,
  selectors: Counter[],
  atSeconds: number,
): Promise<void> {
  const due = selectors.filter(({ text }) => {
    const learned = latest.get(text)
    return learned !== undefined && atSeconds >= learned.shorterDueSeconds
  })
  if (due.length === 0) return
  const newest = await measureIntervals(source, due, atSeconds, { isNewest: true })
  for (const { text } of due) {
    const [learned, found] = [latest.get(text), newest.get(text)]
    if (!learned) continue
    learned.shorterDueSeconds = Infinity
    if (!found || found.longestSeconds >= (learned.intervals?.longestSeconds ?? 0)) continue
    Object.assign(learned, { intervals: found, atSeconds, dueSeconds: atSeconds + slowValidSeconds })
  }
}

/** Drops all intervals. Call it after the clock was set: those learned at a time now ahead would count as the latest. */
export function clearIntervals(): void {
  memories = new WeakMap()
}

/**
 * Drops intervals learned at times ahead of an evaluation. A backfill that began while the clock was ahead learns them after
 * `clearIntervals`, from the few samples of that time.
 */
export function dropIntervalsAhead(source: Source, evaluatedSeconds: number): void {
  const memory = memoryOf(source)
  const untilSeconds = evaluatedSeconds + maxAheadSeconds
  if (memory.newestSeconds <= untilSeconds) return
  for (const some of [memory.latest, memory.past]) {
    for (const [text, { atSeconds }] of some) if (atSeconds > untilSeconds) some.delete(text)
  }
  memory.newestSeconds = evaluatedSeconds
}

/** Finds cached intervals that are still valid at a time. */
function findKnown(
  { latest, past }: Memory,
  text: string,
  atSeconds: number,
): Pick<Learned, 'intervals' | 'atSeconds'> | undefined {
  const learned = latest.get(text)
  if (learned && atSeconds >= learned.atSeconds - validSeconds)
    return atSeconds < learned.dueSeconds ? learned : undefined
  const isNear = (one: Pick<Learned, 'intervals' | 'atSeconds'> | undefined) =>
    one?.intervals && Math.abs(one.atSeconds - atSeconds) <= pastValidSeconds
  return [past.get(text), learned].find(isNear)
}

function remember(memory: Memory, text: string, intervals: SampleIntervals | null, atSeconds: number): void {
  const { latest, past } = memory
  memory.newestSeconds = Math.max(memory.newestSeconds, atSeconds)
  const previous = latest.get(text)
  if (previous && atSeconds < previous.atSeconds) {
    if (past.size >= maxSelectors) past.clear()
    past.set(text, { intervals, atSeconds })
    return
  }
  const emptyAttempts = intervals ? 0 : (previous?.emptyAttempts ?? 0) + 1
  latest.delete(text)
  const [oldest] = latest.keys()
  if (oldest !== undefined && latest.size >= maxSelectors) latest.delete(oldest)
  latest.set(text, {
    intervals: intervals ?? previous?.intervals ?? null,
    atSeconds,
    dueSeconds: atSeconds + (intervals ? validityOf(intervals) : retryAfter(emptyAttempts)),
    shorterDueSeconds: Infinity,
    emptyAttempts,
  })
}

const validityOf = ({ longestSeconds }: SampleIntervals) =>
  longestSeconds > maxFineSeconds ? slowValidSeconds : validSeconds
const retryAfter = (emptyAttempts: number) => Math.min(maxRetrySeconds, retrySeconds * 2 ** (emptyAttempts - 1))

/**
 * Like `learnIntervals`, but always measured at exactly that time, and not cached. `isNewest`: from the samples of the last five
 * minutes; null if any series has too few of them.
 */
export async function measureIntervals(
  source: Source,
  selectors: Counter[],
  atSeconds: number,
  { isNewest = false } = {},
): Promise<Map<string, SampleIntervals | null>> {
  const query = (group: Counter[], quantity: Quantity, align: number) => {
    const at = floorTo(atSeconds, align)
    return queryCounters(source, group, quantity, { startSeconds: at, endSeconds: at, stepSeconds: minute })
  }
  const { fine, coarse } = alignSeconds
  const fineSeconds = isNewest ? newestFineSeconds : defaultFineSeconds
  const [fineMin, fineMax, withoutFine] = await Promise.all([
    query(selectors, fineInterval('min', fineSeconds), fine),
    query(selectors, fineInterval('max', fineSeconds), fine),
    query(selectors, withoutFineInterval(fineSeconds), fine),
  ])
  const slow = isNewest ? [] : selectors.filter(({ text }) => withoutFine.values.has(text))
  const [coarseMin, coarseMax] = await Promise.all([
    query(slow, coarseInterval('min'), coarse),
    query(slow, coarseInterval('max'), coarse),
  ])
  const answers = [fineMin, fineMax, withoutFine, coarseMin, coarseMax]
  return new Map(
    selectors.map(({ text }) => {
      if (answers.some(({ failed }) => failed.has(text))) return [text, null]
      if (isNewest && withoutFine.values.has(text)) return [text, null]
      const valuesOf = (answer: CounterAnswers, align: number) =>
        answer.values.get(text)?.get(floorTo(atSeconds, align)) ?? []
      const values = [
        ...[fineMin, fineMax].flatMap((answer) => valuesOf(answer, fine)),
        ...[coarseMin, coarseMax].flatMap((answer) => valuesOf(answer, coarse)),
      ].filter((seconds) => seconds > 0)
      if (values.length === 0) return [text, null]
      const [shortestSeconds, longestSeconds] = [roundInterval(Math.min(...values)), roundInterval(Math.max(...values))]
      return [text, { shortestSeconds, longestSeconds }]
    }),
  )
}

const usualSeconds = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 600, 900, 1200, 1800, 3600]
const wholeToleranceSeconds = 0.02
const usualToleranceRatio = 0.08

/**
 * Rounds an interval: to whole seconds if it is near one, because scrapes are regular to some milliseconds; otherwise to a usual
 * interval within 8 %, if there is one.
 */
function roundInterval(seconds: number): number {
  const whole = Math.max(1, Math.round(seconds))
  if (Math.abs(seconds - whole) <= wholeToleranceSeconds) return whole
  const nearest = usualSeconds.reduce((best, one) => (Math.abs(one - seconds) < Math.abs(best - seconds) ? one : best))
  return Math.abs(nearest - seconds) <= usualToleranceRatio * nearest ? nearest : whole
}

const closedRanges = new WeakMap<object, boolean>()

/** True if a range includes a sample at its start, as before Prometheus 3. Throws the source's errors. */
export async function hasClosedRanges(source: Source, atSeconds: number): Promise<boolean> {
  const key = source.identity ?? source
  const cached = closedRanges.get(key)
  if (cached !== undefined) return cached
  const at = floorTo(atSeconds, minute)
  const grid = { startSeconds: at, endSeconds: at, stepSeconds: minute }
  const { data } = await source.range('count_over_time(vector(1)[60s:30s])', grid)
  const count = Number(data[0]?.values[0]?.[1])
  if (Number.isFinite(count)) closedRanges.set(key, count > 2)
  return count > 2
}
