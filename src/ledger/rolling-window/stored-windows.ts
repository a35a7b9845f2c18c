import { isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { listDoneBackfills } from '../../slos/backfills/store.ts'
import type { Source } from '../../sources/source.ts'
import { type Bucket, ceilTo, day, floorTo, hour, hoursKeptSeconds, minute, type Span } from '../bucket.ts'
import { masksOf } from '../excluded/masks.ts'
import { closedUntil, listBuckets } from '../ledger-store.ts'
import { measureWithoutCounters } from '../measure/measure-without-counters.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { finestStoredResolution } from '../window-spans.ts'
import { createReadSums, sumWindows } from '../window-sums.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import type { StartMinutes } from './window-start.ts'

/** Sum of a window; `note`: reason if stored data at the start of the window is left out, otherwise null. */
export type StoredWindow = WindowSum & { note: string | null }

/** Revision, and time at which it was last listed as complete, by SLO id. A cache: a missing SLO is looked up. */
export type CompleteMemory = Map<number, { revision: number; atSeconds: number }>

type Deps = {
  db: Pick<Database, 'read' | 'write'>
  source: Source
  minutes: StartMinutes
  complete: CompleteMemory
  atSeconds: number
}

const completeForSeconds = 300 // each listing renews it: an SLO evaluated every minute is not looked up again

/** Lists the SLOs whose backfill is done and whose hours are stored up to two hours before the current one. */
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
 * minutes, the source is queried for them: once for each such hour or day, for all windows that begin in it; the minutes are
 * kept. If it no longer has them, the window begins with the next whole one.
 */
export async function sumStoredWindows(deps: Deps, windows: OwnWindow[]): Promise<StoredWindow[]> {
  const { db, atSeconds } = deps
  const ledgerWindows = windows.map(({ planned: { slo }, seconds }) => {
    const { id: sloId, revision, composite } = slo
    const [startSeconds, endSeconds] = [atSeconds - seconds, atSeconds]
    return { sloId, revision, isPlain: composite === null, startSeconds, endSeconds }
  })
  const sums = await sumWindows(db.read, ledgerWindows, atSeconds, createReadSums(), ledgerCacheOf(db))
  await fetchStartMinutes(deps, windows)
  return Promise.all(
    windows.map(async (window, at): Promise<StoredWindow> => {
      const sum = sums[at] ?? { good: 0, total: 0, coveredSeconds: 0 }
      const start = await minutesAtStart(deps, window)
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

/** Span of the hour or day inside which a window begins; null: the window begins with a whole one, or with minutes. */
function startSpan({ seconds }: OwnWindow, atSeconds: number): Span | null {
  const startSeconds = atSeconds - seconds
  const resolution = finestStoredResolution(startSeconds, atSeconds)
  const firstSeconds = floorTo(startSeconds, resolution)
  if (resolution === minute || firstSeconds === startSeconds) return null
  return { resolution, startSeconds: firstSeconds, endSeconds: ceilTo(startSeconds, resolution) }
}

function knownMinutes({ minutes }: Deps, { planned, origin }: OwnWindow, { startSeconds }: Span): Bucket[] | null {
  const cached = minutes.get(planned.slo.id)
  const isKnown = cached?.origin === origin && cached.buckets[0]?.startSeconds === startSeconds
  return isKnown ? cached.buckets : null
}

/** Queries the minutes that windows begin with and that are not known, those of one span together. */
async function fetchStartMinutes(deps: Deps, windows: OwnWindow[]): Promise<void> {
  const lacking = windows.flatMap((window) => {
    const span = startSpan(window, deps.atSeconds)
    return span && !knownMinutes(deps, window, span) ? [{ window, span }] : []
  })
  const groups = Map.groupBy(lacking, ({ span }) => `${span.startSeconds} ${span.endSeconds}`)
  const fetched = [...groups.values()].map(async (group) => {
    const [first] = group
    if (!first) return
    const slos = group.map(({ window }) => window.planned)
    const measured = await measureWithoutCounters(deps.source, slos, { ...first.span, resolution: minute })
    for (const { planned, origin } of group.map(({ window }) => window)) {
      const result = measured.get(planned.slo.id)
      if (!result || 'error' in result) continue
      const withoutCounters = { firstBreakStart: null, lookbackSeconds: 0 }
      deps.minutes.set(planned.slo.id, { origin, buckets: result.buckets, ...withoutCounters })
    }
  })
  await Promise.all(fetched)
}

/**
 * Minutes from the window's start to the next whole bucket that is stored, or the note that the source does not have them; null: none
 * are missing, or nothing is stored for that time.
 */
async function minutesAtStart(deps: Deps, window: OwnWindow): Promise<{ buckets: Bucket[] } | { note: string } | null> {
  const span = startSpan(window, deps.atSeconds)
  if (!span) return null
  const buckets = knownMinutes(deps, window, span)
  if (buckets?.some(({ coveredSeconds }) => coveredSeconds > 0)) {
    const masks = await masksOf(deps.db)
    const isCounted = ({ startSeconds }: Bucket) =>
      masks.spansOf(window.planned.slo.id, { startSeconds, endSeconds: startSeconds + minute }).length === 0
    const ofWindow = buckets.filter(({ startSeconds }) => startSeconds >= deps.atSeconds - window.seconds)
    return { buckets: masks.isEmpty ? ofWindow : ofWindow.filter(isCounted) }
  }
  const { id: sloId, revision } = window.planned.slo
  const [stored] = await listBuckets(deps.db.read, { ...span, sloId, revision })
  if (!stored?.coveredSeconds) return null
  return { note: `The window begins at ${isoTime(span.endSeconds * 1000)}: the source did not give the minutes before` }
}
