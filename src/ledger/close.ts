import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Database } from '../db/open.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import type { Source } from '../sources/source.ts'
import {
  type Bucket,
  day,
  dayOf,
  floorTo,
  hour,
  hoursKeptSeconds,
  minute,
  type Resolution,
  type Span,
  sumBuckets,
  withoutBreaks,
} from './bucket.ts'
import { listMeasured, sumMeasured } from './excluded/excluded-store.ts'
import { closedUntil } from './ledger-store.ts'
import { putBucketsAndCache } from './memory/cache-minutes.ts'
import { countsEvents, type Measure, measureIsolated, measureLedger } from './measure/measure-ledger.ts'

const hourDelaySeconds = 180
const dayDelaySeconds = 600
const maxMinutesAgeSeconds = 48 * hour // an older hour is not measured as its minutes, but as a whole
const maxSpanByMinutesSeconds = 6 * hour
const maxSpanSeconds = 5 * day
const retryForSeconds = 6 * hour
const slosPerBatch = 10

type Measured = Awaited<ReturnType<Measure>>
type Deps = { db: Database; source: Source; nowSeconds: number; measure: Measure; closed: ClosedMemory }

/**
 * Times in Unix seconds up to which hours and days were closed since `sinceSeconds`, by `keyOf`. Stored hours and days that end after
 * `sinceSeconds`, of an SLO that is not in these maps, were written while the clock was ahead. `upToDate`: by SLO id, the revision and
 * the ends of the last hour and day up to which nothing is left to close.
 */
export type ClosedMemory = {
  sinceSeconds: number
  hours: Map<string, number>
  days: Map<string, number>
  upToDate: Map<number, string>
}

const keyOf = ({ id, revision }: PlannedSlo['slo']) => `${id} ${revision}`

/** Memory of what is closed from a time on: the start of nines, or the time to which the clock was set back. */
export function createClosedMemory(sinceSeconds: number): ClosedMemory {
  return { sinceSeconds, hours: new Map(), days: new Map(), upToDate: new Map() }
}

/** Buckets of an SLO to write: its hours or days as `sums`, and the minutes measured for them. */
type Draft = { planned: PlannedSlo; minutes: Bucket[]; sums: Bucket[] }

/**
 * Closes buckets: writes the hours and days of these SLOs of one source that have ended and are not in the ledger, oldest first;
 * each call a bounded part of them. An hour is the sum of its minutes, measured again for late samples; an hour too old for that
 * is measured as a whole. A day is the sum of its hours if they cover all of it. Otherwise the source is queried again: for the
 * whole day if the SLO counts events, because that may find more; if not, for the hours without samples. If the source refuses
 * or does not answer, the next call tries again, until six hours after the bucket's end. Then the bucket is closed with what the
 * ledger has, so that later ones can be closed. SLOs that `closed` says are up to date are skipped; buckets that were stored while
 * the clock was ahead are closed again.
 */
export async function closeBuckets(
  { db, closed: memory }: { db: Database; closed?: ClosedMemory },
  all: PlannedSlo[],
  source: Source,
  nowSeconds: number,
  measure: Measure = measureLedger,
): Promise<void> {
  const closed = memory ?? createClosedMemory(nowSeconds)
  const deps = { db, source, nowSeconds, measure, closed }
  const earliest = floorTo(nowSeconds, day) - hoursKeptSeconds
  const hoursEnd = floorTo(nowSeconds - hourDelaySeconds, hour)
  const daysEnd = floorTo(nowSeconds - dayDelaySeconds, day)
  const progressOf = ({ slo }: PlannedSlo) => `${slo.revision} ${hoursEnd} ${daysEnd}`
  const planned = all.filter((one) => closed.upToDate.get(one.slo.id) !== progressOf(one))
  if (planned.length === 0) return
  /** Time up to which buckets of each SLO are closed, by SLO id; those that were stored while the clock was ahead do not count. */
  const untilOf = async (resolution: typeof hour | typeof day) => {
    const known = resolution === hour ? closed.hours : closed.days
    const stored = await closedUntil(db.read, planned, resolution, earliest, nowSeconds)
    const isAhead = ({ slo }: PlannedSlo) => !known.has(keyOf(slo)) && (stored.get(slo.id) ?? 0) > closed.sinceSeconds
    const ahead = planned.filter(isAhead)
    const closedBefore =
      ahead.length > 0
        ? await closedUntil(db.read, ahead, resolution, earliest, closed.sinceSeconds)
        : new Map<number, number>()
    return new Map(
      planned.flatMap(({ slo }): [number, number][] => {
        const until = closedBefore.get(slo.id) ?? stored.get(slo.id)
        return until === undefined
          ? []
          : [[slo.id, Math.max(earliest, Math.min(until, known.get(keyOf(slo)) ?? until))]]
      }),
    )
  }
  const hoursFrom = await untilOf(hour)
  const dueHours = dueByStart(planned, hoursFrom, hoursEnd)
  for (const [start, group] of dueHours) await closeHours(deps, group, start, hoursEnd)

  const dueDays = dueByStart(planned, await untilOf(day), daysEnd)
  if (dueDays.size === 0) {
    if (dueHours.size === 0) for (const one of planned) closed.upToDate.set(one.slo.id, progressOf(one))
    return
  }
  const hoursUntil = await untilOf(hour)
  for (const [start, group] of dueDays) {
    const ready = group.filter(({ slo }) => (hoursUntil.get(slo.id) ?? 0) >= start + day)
    if (ready.length > 0) await closeDay(deps, ready, start)
  }
}

/** Groups SLOs by the start of their first bucket that is to be closed; those without one are left out. */
function dueByStart(planned: PlannedSlo[], starts: Map<number, number>, endSeconds: number): Map<number, PlannedSlo[]> {
  const startOf = ({ slo }: PlannedSlo) => starts.get(slo.id) ?? endSeconds
  const due = planned.filter((one) => startOf(one) < endSeconds)
  return Map.groupBy(due, startOf)
}

/**
 * Closes the hours from `startSeconds` on; only the first hour if the source does not answer for all of them. If the source does
 * not answer for the first hour either, it is closed with what is stored once it is overdue.
 */
async function closeHours(deps: Deps, group: PlannedSlo[], startSeconds: number, hoursEnd: number): Promise<void> {
  const minutesFrom = floorTo(deps.nowSeconds - maxMinutesAgeSeconds, hour) + hour
  const isByMinutes = startSeconds >= minutesFrom
  const latest = isByMinutes
    ? startSeconds + maxSpanByMinutesSeconds
    : Math.min(startSeconds + maxSpanSeconds, minutesFrom)
  const resolution = isByMinutes ? minute : hour
  const span: Span = { resolution, startSeconds, endSeconds: Math.min(latest, hoursEnd) }
  const first = { ...span, endSeconds: startSeconds + hour }
  let unanswered = await closeSpan(deps, group, span)
  if (span.endSeconds > first.endSeconds) unanswered = await closeSpan(deps, unanswered, first) // a smaller query may succeed
  if (isOverdue(deps, first)) await closeAsStored(deps, unanswered, startSeconds)
}

/** Closes the hours of a span; returns the SLOs that the source did not answer for. */
async function closeSpan(deps: Deps, group: PlannedSlo[], span: Span): Promise<PlannedSlo[]> {
  if (group.length === 0) return []
  const measured = await measureIsolated(deps.measure, deps.source, group, span)
  const count = (span.endSeconds - span.startSeconds) / hour
  const starts = Array.from({ length: count }, (_, at) => span.startSeconds + at * hour)
  const unanswered: PlannedSlo[] = []
  const drafts = group.flatMap((one): Draft[] => {
    const result = measured.get(one.slo.id) ?? { buckets: [] } // no SLI: closed without data
    if ('error' in result) {
      unanswered.push(one)
      return []
    }
    const minutes = span.resolution === minute ? result.buckets : []
    return [{ planned: one, minutes, sums: starts.map((start) => sumBuckets(result.buckets, start, hour)) }]
  })
  await putDrafts(deps, drafts, hour, span.endSeconds)
  return unanswered
}

/** True if the source is no longer asked for a span, because it ended too long ago. */
function isOverdue({ nowSeconds }: Deps, { endSeconds }: Span): boolean {
  return endSeconds <= nowSeconds - retryForSeconds
}

async function closeAsStored(deps: Deps, group: PlannedSlo[], startSeconds: number): Promise<void> {
  const span = { resolution: minute, startSeconds, endSeconds: startSeconds + hour } as const
  const drafts = group.map(async (one): Promise<Draft> => {
    const stored = await listMeasured(deps.db.read, { ...span, sloId: one.slo.id, revision: one.slo.revision })
    return { planned: one, minutes: [], sums: [sumBuckets(stored, startSeconds, hour)] }
  })
  await putDrafts(deps, await Promise.all(drafts), hour, span.endSeconds)
}

async function closeDay(deps: Deps, group: PlannedSlo[], startSeconds: number): Promise<void> {
  const span: Span = { resolution: day, startSeconds, endSeconds: startSeconds + day }
  const hours = group.map(({ slo }) => ({ ...span, sloId: slo.id, revision: slo.revision, resolution: hour }) as const)
  const sums = await sumMeasured(deps.db.read, hours) // in the order of `group`
  const incomplete = group.filter((_, at) => sums[at]?.coveredSeconds !== day)
  const measured = await measureIncomplete(deps, incomplete, span)
  const drafts = group.flatMap((one, at): Draft[] => {
    const sum = sums[at]
    const result = measured.get(one.slo.id) ?? { buckets: [] }
    if (!sum || ('error' in result && !isOverdue(deps, span))) return []
    const [measuredDay] = 'error' in result ? [] : result.buckets
    return [{ planned: one, minutes: [], sums: [dayOf(startSeconds, sum, measuredDay)] }]
  })
  await putDrafts(deps, drafts, day, span.endSeconds)
}

/** Measures whole days of SLOs that count events, and for the others the hours that the ledger does not cover. */
async function measureIncomplete(deps: Deps, incomplete: PlannedSlo[], span: Span): Promise<Measured> {
  const measureSlos = (slos: PlannedSlo[], resolution: Resolution) =>
    measureIsolated(deps.measure, deps.source, slos, { ...span, resolution })
  const ofEvents = incomplete.filter(({ plan }) => countsEvents(plan))
  const ofTime = incomplete.filter(({ plan }) => !countsEvents(plan))
  const [wholeDays, byHours] = await Promise.all([measureSlos(ofEvents, day), measureSlos(ofTime, hour)])
  for (const { slo } of incomplete) {
    const result = byHours.get(slo.id)
    if (!result || 'error' in result) continue
    const stored = await listMeasured(deps.db.read, {
      ...span,
      sloId: slo.id,
      revision: slo.revision,
      resolution: hour,
    })
    const coveredStarts = new Set(
      stored.filter(({ coveredSeconds }) => coveredSeconds > 0).map((one) => one.startSeconds),
    )
    const hours = [...stored, ...result.buckets.filter(({ startSeconds }) => !coveredStarts.has(startSeconds))]
    byHours.set(slo.id, withoutBreaks([sumBuckets(hours, span.startSeconds, day)]))
  }
  return new Map([...wholeDays, ...byHours])
}

/** Stores drafts of hours or days up to `untilSeconds`. */
async function putDrafts(
  { db, closed }: Deps,
  drafts: Draft[],
  resolution: typeof hour | typeof day,
  untilSeconds: number,
): Promise<void> {
  const known = resolution === hour ? closed.hours : closed.days
  for (const chunk of inChunks(drafts, slosPerBatch)) {
    const rows = chunk.flatMap(({ planned: { slo }, minutes, sums }) => {
      const key = { sloId: slo.id, revision: slo.revision }
      return [
        ...minutes.map((bucket) => ({ ...bucket, ...key, resolution: minute }) as const),
        ...sums.map((bucket) => ({ ...bucket, ...key, resolution })),
      ]
    })
    await putBucketsAndCache(db, rows)
    for (const { planned } of chunk) known.set(keyOf(planned.slo), untilSeconds)
    await yieldToEventLoop() // SQLite is synchronous: without this, nothing else would run until all chunks are written
  }
}
