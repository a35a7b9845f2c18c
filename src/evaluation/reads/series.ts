import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { round10 } from '../../slos/arithmetic/budget.ts'
import { listRevisions, type Revision } from '../../slos/revision-store.ts'
import { getSlo } from '../../slos/store.ts'
import { finestStoredResolution } from '../../ledger/window-spans.ts'
import { sumWindows } from '../../ledger/window-sums.ts'
import { sliOfSum, type WindowSum } from '../../slos/arithmetic/window-sum.ts'
import type { Steps } from './series-steps.ts'

/**
 * A step of a series. `resolutionSeconds`: resolution of its data. If that is coarser than the step, the SLI is the SLI of the
 * surrounding hour (or day), and `good` and `total` are the step's share of that bucket.
 */
export type SeriesPoint = {
  atSeconds: number
  resolutionSeconds: number
  sliPercent: number | null
  coverage: number
  good: number
  total: number
  revision: number
}

/**
 * SLI of each step, from the ledger. A step uses the revision that was in force at its end; if that has no data for it, the current
 * revision, whose backfill may have measured it.
 */
export async function sloSeries(
  { db, clock }: { db: Database; clock: Clock },
  organizationId: number,
  sloId: number,
  { startSeconds, endSeconds, stepSeconds }: Steps,
): Promise<{ revision: number; points: SeriesPoint[] }> {
  const slo = await getSlo(db.read, organizationId, sloId)
  const revisions = await listRevisions(db.read, slo.id)
  const nowSeconds = Math.floor(clock.now() / 1000)
  const candidates = stepsOf({ startSeconds, endSeconds, stepSeconds }).flatMap((atSeconds) => {
    const storedSpan = storedSpanAround(atSeconds, stepSeconds, nowSeconds)
    return revisionsFor(atSeconds + stepSeconds, revisions, slo.revision).map((revision) => ({
      atSeconds,
      ...storedSpan,
      revision,
    }))
  })
  const windows = candidates.map((one) => ({ ...one, sloId: slo.id, keepsLead: true }))
  const sums = await sumWindows(db.read, windows, nowSeconds)

  const points = new Map<number, SeriesPoint>()
  candidates.forEach((window, i) => {
    const sum = sums[i]
    const preferred = points.get(window.atSeconds)
    if (sum && (preferred === undefined || (preferred.coverage === 0 && sum.coveredSeconds > 0))) {
      points.set(window.atSeconds, pointOf(window, sum, stepSeconds))
    }
  })
  return { revision: slo.revision, points: [...points.values()] }
}

type StoredSpan = { startSeconds: number; endSeconds: number; resolutionSeconds: number }

function pointOf(
  window: StoredSpan & { atSeconds: number; revision: number },
  sum: WindowSum,
  stepSeconds: number,
): SeriesPoint {
  const { atSeconds, resolutionSeconds, revision } = window
  const seconds = window.endSeconds - window.startSeconds
  const { ratio, coverage } = sliOfSum(sum, seconds)
  const share = stepSeconds / seconds
  return {
    atSeconds,
    resolutionSeconds,
    sliPercent: ratio === null ? null : round10(ratio * 100),
    coverage,
    good: round10(sum.good * share),
    total: round10(sum.total * share),
    revision,
  }
}

/** Shortest period around a step that consists of whole buckets still stored. */
export function storedSpanAround(atSeconds: number, step: number, nowSeconds: number): StoredSpan {
  const wholeHour = Math.floor(atSeconds / 3600) * 3600 // minutes that are only partly stored are read as an hour
  const resolution = finestStoredResolution(wholeHour, nowSeconds)
  return {
    startSeconds: Math.floor(atSeconds / resolution) * resolution,
    endSeconds: Math.ceil((atSeconds + step) / resolution) * resolution,
    resolutionSeconds: Math.max(resolution, step),
  }
}

/** Revisions that may have measured a step, the preferred one first. */
function revisionsFor(endSeconds: number, revisions: Revision[], current: number): number[] {
  const inForce = revisions.findLast(({ created_at }) => created_at < endSeconds * 1000) ?? revisions[0]
  return [...new Set([inForce?.revision ?? current, current])]
}

function stepsOf({ startSeconds, endSeconds, stepSeconds }: Steps): number[] {
  const count = (endSeconds - startSeconds) / stepSeconds
  return Array.from({ length: count }, (_, i) => startSeconds + i * stepSeconds)
}
