import { sql } from 'kysely'
import { inChunks } from '../../concurrency/chunks.ts'
import { type AsyncCooperativeTask, awaitStep } from '../../concurrency/cooperative.ts'
import type { Db } from '../../db/open.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { day, floorTo, hour, minute, minutesKeptSeconds, type Resolution } from '../../ledger/bucket.ts'
import { listWithComposites } from '../../ledger/composite-buckets.ts'
import { findComposites, type StoredComposite } from '../../ledger/composite-store.ts'
import { type BucketSum, listBucketsSince, rangesSince, type Since } from '../../ledger/ledger-store.ts'
import { storedPart, wholeBuckets, type Window } from '../../ledger/window-spans.ts'
import { ratioOf, type WindowSum } from '../../slos/arithmetic/window-sum.ts'

/**
 * Windows whose bounds are whole hours, or `fromSeconds` plus a multiple of `stepSeconds`, except for the end of the last one;
 * they may overlap.
 */
export type StepWindows = { fromSeconds: number; stepSeconds: number; windows: Window[] }

type Measured = Pick<SloRow, 'id' | 'revision'>
type Composites = ReadonlyMap<string, StoredComposite>
type OnRatio = (sloId: number, window: number, ratio: number) => void

/** Stored sums of one SLO, by their start: days, hours, and minutes up to the next bound of a step or of an hour. */
type StoredSums = Record<Resolution, Map<number, WindowSum>>

/** Parts of the windows that the ledger still has, and their common properties. */
type Plan = {
  /** Bound of a step at or before the first part. */
  originSeconds: number
  stepSeconds: number
  parts: { part: Window; seconds: number }[]
  extent: Window
  /** Resolutions of which a window has whole buckets, the coarse ones first. */
  wholeLengths: (typeof day | typeof hour)[]
  /** True if all bounds are whole days (hours), except for the end of the last part. */
  isByDays: boolean
  isByHours: boolean
}

const maxRowsPerRead = 5000 // SQLite is synchronous: nothing else runs during a read
const maxSlosPerRead = 200
const openHours = 26 // maximum for a day that is not closed yet

/**
 * Calls `onRatio` with the SLI, 0..1, of each SLO in each window, if there is one. Each stored bucket is read once, however many
 * windows there are. A day or an hour that is not stored is summed from finer buckets.
 */
export function* stepRatios(
  db: Db,
  slos: Measured[],
  steps: StepWindows,
  nowSeconds: number,
  onRatio: OnRatio,
): AsyncCooperativeTask<void> {
  const plan = planOf(steps, nowSeconds)
  const measured = slos.map(({ id: sloId, revision }) => ({ sloId, revision }))
  const composites = yield* awaitStep(findComposites(db, measured))
  for (const chunk of inChunks(slos, slosPerBatch(plan, nowSeconds))) {
    for (const [id, stored] of yield* readStored(db, chunk, plan, composites)) {
      for (const [index, { part, seconds }] of plan.parts.entries()) {
        const ratio = ratioOf(sumOf(stored, part, plan), seconds)
        if (ratio !== null) onRatio(id, index, ratio)
      }
      yield
    }
  }
}

function planOf({ fromSeconds, stepSeconds, windows }: StepWindows, nowSeconds: number): Plan {
  const parts = windows.map((window) => {
    const seconds = window.endSeconds - window.startSeconds
    return { part: storedPart(window, nowSeconds), seconds }
  })
  const startSeconds = parts.reduce((min, { part }) => Math.min(min, part.startSeconds), Infinity)
  const endSeconds = parts.reduce((max, { part }) => Math.max(max, part.endSeconds), 0)
  const isBy = (length: number) =>
    parts.every(
      ({ part }) =>
        part.startSeconds % length === 0 && (part.endSeconds % length === 0 || part.endSeconds === endSeconds),
    )
  return {
    originSeconds: fromSeconds - Math.ceil(Math.max(0, fromSeconds - startSeconds) / stepSeconds) * stepSeconds,
    stepSeconds,
    parts,
    extent: { startSeconds, endSeconds },
    wholeLengths: ([day, hour] as const).filter((length) => parts.some(({ part }) => wholeBuckets(part, length))),
    isByDays: isBy(day),
    isByHours: isBy(hour),
  }
}

/** Number of SLOs per read, so that a read returns at most about 5,000 buckets. */
function slosPerBatch({ extent, isByDays, isByHours }: Plan, nowSeconds: number): number {
  const { startSeconds, endSeconds } = extent
  const minutesFromSeconds = isByHours ? endSeconds - hour : Math.max(startSeconds, nowSeconds - minutesKeptSeconds)
  const coarse = (endSeconds - startSeconds) / (isByDays ? day : hour) + (isByDays ? openHours : 0)
  const rows = coarse + Math.max(0, endSeconds - minutesFromSeconds) / minute
  return Math.min(maxSlosPerRead, Math.max(1, Math.floor(maxRowsPerRead / rows)))
}

/**
 * Reads the stored sums of SLOs that have any. For windows of whole days or hours, finer buckets are read only from the first
 * missing coarse one on.
 */
function* readStored(
  db: Db,
  slos: Measured[],
  plan: Plan,
  composites: Composites,
): AsyncCooperativeTask<Map<number, StoredSums>> {
  const { extent, wholeLengths, isByDays, isByHours } = plan
  const storedOf = new Map<number, StoredSums>()
  const startsOf = (isBy: boolean) =>
    slos.map(({ id: sloId, revision }) => {
      const fromSeconds = isBy ? firstNotStored(storedOf.get(sloId), plan) : extent.startSeconds
      return { sloId, revision, fromSeconds }
    })
  const keep = (rows: BucketSum[], resolution: Resolution) => {
    for (const row of rows)
      storedOf.getOrInsertComputed(row.sloId, nothingStored)[resolution].set(row.startSeconds, row)
  }
  for (const resolution of wholeLengths) {
    const list = (some: Since[]) => listBucketsSince(db, some, resolution, extent.endSeconds)
    keep(yield* awaitStep(listWithComposites(composites, startsOf(isByDays), resolution, list)), resolution)
  }
  const { originSeconds, stepSeconds } = plan
  const bounds = { endSeconds: extent.endSeconds, originSeconds, stepSeconds }
  const listMinutes = async (some: Since[]) => (await minutesFrom(db, { ranges: rangesSince(some), ...bounds })).rows
  keep(yield* awaitStep(listWithComposites(composites, startsOf(isByHours), null, listMinutes)), minute)
  return storedOf
}

const nothingStored = (): StoredSums => ({ 60: new Map(), 3600: new Map(), 86400: new Map() })

/** Start of the first hour that is not stored. If windows are whole days, the hours of a stored day count as stored. */
function firstNotStored(stored: StoredSums | undefined, { extent, isByDays }: Plan): number {
  let at = extent.startSeconds
  if (!stored) return at
  while (at < extent.endSeconds) {
    if (isByDays && at % day === 0 && stored[day].has(at)) at += day
    else if (stored[hour].has(at)) at += hour
    else break
  }
  return at
}

/** Sums the fewest buckets that cover a window exactly once, like `spansOf`. */
function sumOf(stored: StoredSums, { startSeconds, endSeconds }: Window, plan: Plan): WindowSum {
  const { originSeconds, stepSeconds } = plan
  const sum = { good: 0, total: 0, coveredSeconds: 0 }
  for (let at = startSeconds; at < endSeconds;) {
    const daySum = at % day === 0 && at + day <= endSeconds ? stored[day].get(at) : undefined
    const hourSum = !daySum && at % hour === 0 && at + hour <= endSeconds ? stored[hour].get(at) : undefined
    const bucketSum = daySum ?? hourSum ?? stored[minute].get(at)
    if (bucketSum) {
      sum.good += bucketSum.good
      sum.total += bucketSum.total
      sum.coveredSeconds += bucketSum.coveredSeconds
    }
    if (daySum) at += day
    else if (hourSum) at += hour
    else
      at = Math.min(
        floorTo(at, hour) + hour,
        originSeconds + (Math.floor((at - originSeconds) / stepSeconds) + 1) * stepSeconds,
      )
  }
  return sum
}

/** Minutes of the same SLOs, as sums up to the next bound of a step or of an hour. */
const minutesFrom = prepared<
  { ranges: string; endSeconds: number; originSeconds: number; stepSeconds: number },
  BucketSum
>(
  ({ ranges, endSeconds, originSeconds, stepSeconds }) => sql`
    select slo_id as sloId, max(start / 3600 * 3600, start - (start - cast(${originSeconds} as integer)) % ${stepSeconds}) as startSeconds,
      sum(good) as good, sum(total) as total, sum(covered_seconds) as coveredSeconds
    from json_each(${ranges}) as range cross join buckets on slo_id = range.value->>0 and revision = range.value->>1
      and resolution = 60 and start >= range.value->>2 and start < ${endSeconds}
    group by slo_id, 2`,
)
