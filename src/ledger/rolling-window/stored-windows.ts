import { isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { listDoneBackfills } from '../../slos/backfills/store.ts'
import type { Source } from '../../sources/source.ts'
import { type Bucket, ceilTo, day, floorTo, hour, hoursKeptSeconds, minute } from '../bucket.ts'
import { closedUntil, listBuckets } from '../ledger-store.ts'
import { measureOther } from '../measure/measure-other.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { finestStoredResolution } from '../window-spans.ts'
import { createReadSums, sumWindows } from '../window-sums.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import type { StartMinutes } from './window-start.ts'

/** Sum of a window; `note`: reason if it does not cover the whole window, null if it does. */
export type StoredWindow = WindowSum & { note: string | null }

/** Revision, and time at which its buckets were last found to be complete, by SLO id. It may be lost. */
export type CompleteMemory = Map<number, { revision: number; atSeconds: number }>

type Deps = {
  db: Pick<Database, 'read' | 'write'>
  source: Source
  minutes: StartMinutes
  complete: CompleteMemory
  atSeconds: number
}

const completeForSeconds = 300 // an SLO that is evaluated every minute stays complete

/** Lists the SLOs whose buckets reach back to the start of their backfill without an hour that is still to be closed. */
export async function listComplete({ db, complete, atSeconds }: Deps, planned: PlannedSlo[]): Promise<PlannedSlo[]> {
  const isKnown = ({ slo }: PlannedSlo) => {
    const completeSlo = complete.get(slo.id)
    const ageSeconds = atSeconds - (completeSlo?.atSeconds ?? 0)
    return completeSlo?.revision === slo.revision && ageSeconds >= 0 && ageSeconds <= completeForSeconds
  }
  const unknown = planned.filter((one) => !isKnown(one))
  if (unknown.length > 0) {
    const filled = await listDoneBackfills(
      db.read,
      unknown.map(({ slo }) => slo),
    )
    const earliest = floorTo(atSeconds, day) - hoursKeptSeconds
    const closed = await closedUntil(db.read, unknown, hour, earliest, atSeconds)
    const openFrom = floorTo(atSeconds, hour) - 2 * hour // each round measures the minutes of the last two hours
    for (const { slo } of unknown) {
      complete.delete(slo.id)
      if (filled.has(slo.id) && (closed.get(slo.id) ?? 0) >= openFrom) {
        complete.set(slo.id, { revision: slo.revision, atSeconds })
      }
    }
  }
  const ready = planned.filter(({ slo }) => complete.has(slo.id))
  for (const { slo } of ready) complete.set(slo.id, { revision: slo.revision, atSeconds })
  return ready
}

/** A window of an SLO that ends at `atSeconds`; `origin` identifies source and revision. */
type OwnWindow = { planned: PlannedSlo; seconds: number; origin: string }

/**
 * Sums the buckets of each window, in the order of `windows`. If a window begins inside an hour, or a day, without stored
 * minutes, the source is queried for the minutes, once for each. If it no longer has them, the window begins with the next
 * whole one.
 */
export async function sumStoredWindows(deps: Deps, windows: OwnWindow[]): Promise<StoredWindow[]> {
  const { db, atSeconds } = deps
  const ledgerWindows = windows.map(({ planned: { slo }, seconds }) => {
    return { sloId: slo.id, revision: slo.revision, startSeconds: atSeconds - seconds, endSeconds: atSeconds }
  })
  const sums = await sumWindows(db.read, ledgerWindows, atSeconds, createReadSums(), ledgerCacheOf(db))
  return Promise.all(
    windows.map(async (window, at): Promise<StoredWindow> => {
      const sum = sums[at] ?? { good: 0, total: 0, coveredSeconds: 0 }
      const start = await startOf(deps, window)
      if (start === null) return { ...sum, note: null }
      if ('note' in start) return { ...sum, note: start.note }
      const all = { ...sum, note: null }
      for (const bucket of start.buckets) {
        all.good += bucket.good
        all.total += bucket.total
        all.coveredSeconds += bucket.coveredSeconds
      }
      return all
    }),
  )
}

/** Minutes from the window's start to the next whole bucket that is stored; null: none are missing. */
async function startOf(
  deps: Deps,
  { planned, seconds, origin }: OwnWindow,
): Promise<{ buckets: Bucket[] } | { note: string } | null> {
  const { db, source, minutes, atSeconds } = deps
  const { slo } = planned
  const startSeconds = atSeconds - seconds
  const resolution = finestStoredResolution(startSeconds, atSeconds)
  const firstSeconds = floorTo(startSeconds, resolution)
  if (resolution === minute || firstSeconds === startSeconds) return null
  const cached = minutes.get(slo.id)
  const isKnown = cached?.origin === origin && cached.buckets[0]?.startSeconds === firstSeconds
  const nextSeconds = ceilTo(startSeconds, resolution)
  const buckets = isKnown
    ? cached.buckets
    : await measureOther(source, planned, {
        resolution: minute,
        startSeconds: firstSeconds,
        endSeconds: nextSeconds,
      }).then((measured) => ('error' in measured ? null : measured.buckets))
  if (buckets && !isKnown) minutes.set(slo.id, { origin, buckets, firstBreakStart: null, lookbackSeconds: 0 })
  if (buckets?.some(({ coveredSeconds }) => coveredSeconds > 0)) {
    return { buckets: buckets.filter((bucket) => bucket.startSeconds >= startSeconds) }
  }
  const range = {
    sloId: slo.id,
    revision: slo.revision,
    resolution,
    startSeconds: firstSeconds,
    endSeconds: nextSeconds,
  }
  const [stored] = await listBuckets(db.read, range)
  if (!stored?.coveredSeconds) return null
  return { note: `The window begins at ${isoTime(nextSeconds * 1000)}: the source did not give the minutes before` }
}
