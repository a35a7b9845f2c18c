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
  sumOf,
  withoutBreaks,
} from './bucket.ts'
import { closedUntil, listBuckets, sumRanges } from './ledger-store.ts'
import { putBucketsAndCache } from './memory/cache-minutes.ts'
import { countsEvents, type Measure, measureIsolated, measureLedger } from './measure/measure-ledger.ts'

const hourLateSeconds = 180
const dayLateSeconds = 600
const minutesBackSeconds = 48 * hour
const maxByMinutesSeconds = 6 * hour
const maxSeconds = 5 * day
const givenUpSeconds = 6 * hour
const writesPerBatch = 10

type Measured = Awaited<ReturnType<Measure>>
type Deps = { db: Database; source: Source; nowSeconds: number; measure: Measure }

/** Revision and times up to which nothing was left to close, by SLO id. It may be lost. */
export type ClosedMemory = Map<number, string>

/** Hours or days as sums of their finer buckets; `minutes` are written, too. */
type Draft = { one: PlannedSlo; minutes: Bucket[]; sums: Bucket[] }

/**
 * Writes the hours and days of these SLOs of one source that have ended and are not in the ledger, oldest first; each call a
 * bounded part of them. An hour is the sum of its minutes, measured again for late samples; an hour too old for that is
 * measured as a whole. A day is the sum of its hours if they cover all of it. Otherwise the source is queried again: for the
 * whole day if the SLO counts events, which may find more; if not, for the hours without samples. If the source refuses or does
 * not answer, the next call tries again, for six hours. Then the bucket is closed as the ledger has it, or later ones would
 * never be closed. SLOs with nothing left to close according to `closed` are skipped.
 */
export async function closeBuckets(
  { db, closed = new Map() }: { db: Database; closed?: ClosedMemory },
  all: PlannedSlo[],
  source: Source,
  nowSeconds: number,
  measure: Measure = measureLedger,
): Promise<void> {
  const deps = { db, source, nowSeconds, measure }
  const earliest = floorTo(nowSeconds, day) - hoursKeptSeconds
  const hoursEnd = floorTo(nowSeconds - hourLateSeconds, hour)
  const daysEnd = floorTo(nowSeconds - dayLateSeconds, day)
  const endOf = ({ slo }: PlannedSlo) => `${slo.revision} ${hoursEnd} ${daysEnd}`
  const planned = all.filter((one) => closed.get(one.slo.id) !== endOf(one))
  if (planned.length === 0) return
  const hoursFrom = await closedUntil(db.read, planned, hour, earliest, nowSeconds)
  const dueHours = dueByStart(planned, hoursFrom, hoursEnd)
  for (const [start, group] of dueHours) await closeHours(deps, group, start, hoursEnd)

  const due = dueByStart(planned, await closedUntil(db.read, planned, day, earliest, nowSeconds), daysEnd)
  if (due.size === 0) {
    if (dueHours.size === 0) for (const one of planned) closed.set(one.slo.id, endOf(one))
    return
  }
  const hoursUntil = await closedUntil(db.read, planned, hour, earliest, nowSeconds)
  for (const [start, group] of due) {
    const closed = group.filter(({ slo }) => (hoursUntil.get(slo.id) ?? 0) >= start + day)
    if (closed.length > 0) await closeDay(deps, closed, start)
  }
}

function dueByStart(planned: PlannedSlo[], starts: Map<number, number>, endSeconds: number): Map<number, PlannedSlo[]> {
  const startOf = ({ slo }: PlannedSlo) => starts.get(slo.id) ?? endSeconds
  return Map.groupBy(
    planned.filter((one) => startOf(one) < endSeconds),
    startOf,
  )
}

async function closeHours(deps: Deps, group: PlannedSlo[], startSeconds: number, hoursEnd: number): Promise<void> {
  const minutesFrom = floorTo(deps.nowSeconds - minutesBackSeconds, hour) + hour
  const byMinutes = startSeconds >= minutesFrom
  const latest = byMinutes ? startSeconds + maxByMinutesSeconds : Math.min(startSeconds + maxSeconds, minutesFrom)
  const resolution = byMinutes ? minute : hour
  const span: Span = { resolution, startSeconds, endSeconds: Math.min(latest, hoursEnd) }
  const first = { ...span, endSeconds: startSeconds + hour }
  let open = await closeSpan(deps, group, span)
  if (span.endSeconds > first.endSeconds) open = await closeSpan(deps, open, first) // the source may be able to answer for less
  if (isGivenUp(deps, first)) await closeAsStored(deps, open, startSeconds)
}

/** Closes the hours of a span; returns the SLOs that the source did not answer for. */
async function closeSpan(deps: Deps, group: PlannedSlo[], span: Span): Promise<PlannedSlo[]> {
  if (group.length === 0) return []
  const measured = await measureIsolated(deps.measure, deps.source, group, span)
  const count = (span.endSeconds - span.startSeconds) / hour
  const starts = Array.from({ length: count }, (_, at) => span.startSeconds + at * hour)
  const open: PlannedSlo[] = []
  const drafts = group.flatMap((one): Draft[] => {
    const result = measured.get(one.slo.id) ?? { buckets: [] } // no SLI: closed without data
    if ('error' in result) {
      open.push(one)
      return []
    }
    const minutes = span.resolution === minute ? result.buckets : []
    return [{ one, minutes, sums: starts.map((start) => sumOf(result.buckets, start, hour)) }]
  })
  await write(deps, drafts, hour)
  return open
}

function isGivenUp({ nowSeconds }: Deps, { endSeconds }: Span): boolean {
  return endSeconds <= nowSeconds - givenUpSeconds
}

async function closeAsStored(deps: Deps, group: PlannedSlo[], startSeconds: number): Promise<void> {
  const span = { resolution: minute, startSeconds, endSeconds: startSeconds + hour } as const
  const drafts = group.map(async (one): Promise<Draft> => {
    const stored = await listBuckets(deps.db.read, { ...span, sloId: one.slo.id, revision: one.slo.revision })
    return { one, minutes: [], sums: [sumOf(stored, startSeconds, hour)] }
  })
  await write(deps, await Promise.all(drafts), hour)
}

async function closeDay(deps: Deps, group: PlannedSlo[], startSeconds: number): Promise<void> {
  const span: Span = { resolution: day, startSeconds, endSeconds: startSeconds + day }
  const hours = group.map(({ slo }) => ({ ...span, sloId: slo.id, revision: slo.revision, resolution: hour }) as const)
  const sums = await sumRanges(deps.db.read, hours)
  const lacking = group.filter((_, at) => sums[at]?.coveredSeconds !== day)
  const measured = await measureLacking(deps, lacking, span)
  const drafts = group.flatMap((one, at): Draft[] => {
    const sum = sums[at]
    const result = measured.get(one.slo.id) ?? { buckets: [] }
    if (!sum || ('error' in result && !isGivenUp(deps, span))) return []
    const [measuredDay] = 'error' in result ? [] : result.buckets
    return [{ one, minutes: [], sums: [dayOf(startSeconds, sum, measuredDay)] }]
  })
  await write(deps, drafts, day)
}

/** Measures whole days of SLOs that count events, and for the others the hours that the ledger does not cover. */
async function measureLacking(deps: Deps, lacking: PlannedSlo[], span: Span): Promise<Measured> {
  const ask = (slos: PlannedSlo[], resolution: Resolution) =>
    measureIsolated(deps.measure, deps.source, slos, { ...span, resolution })
  const [wholeDays, byHours] = await Promise.all([
    ask(
      lacking.filter(({ plan }) => countsEvents(plan)),
      day,
    ),
    ask(
      lacking.filter(({ plan }) => !countsEvents(plan)),
      hour,
    ),
  ])
  for (const { slo } of lacking) {
    const result = byHours.get(slo.id)
    if (!result || 'error' in result) continue
    const stored = await listBuckets(deps.db.read, {
      ...span,
      sloId: slo.id,
      revision: slo.revision,
      resolution: hour,
    })
    const coveredStarts = new Set(
      stored.filter(({ coveredSeconds }) => coveredSeconds > 0).map((one) => one.startSeconds),
    )
    const hours = [...stored, ...result.buckets.filter(({ startSeconds }) => !coveredStarts.has(startSeconds))]
    byHours.set(slo.id, withoutBreaks([sumOf(hours, span.startSeconds, day)]))
  }
  return new Map([...wholeDays, ...byHours])
}

async function write({ db }: Deps, drafts: Draft[], resolution: Resolution): Promise<void> {
  for (const chunk of inChunks(drafts, writesPerBatch)) {
    const rows = chunk.flatMap(({ one, minutes, sums }) => {
      const key = { sloId: one.slo.id, revision: one.slo.revision }
      return [
        ...minutes.map((bucket) => ({ ...bucket, ...key, resolution: minute }) as const),
        ...sums.map((bucket) => ({ ...bucket, ...key, resolution })),
      ]
    })
    await putBucketsAndCache(db, rows)
    await yieldToEventLoop() // SQLite is synchronous: without this, nothing else would run until the last has been written
  }
}
