import { runCooperatively } from '../../concurrency/cooperative.ts'
import type { Database } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { round10 } from '../../slos/arithmetic/budget.ts'
import { maxPoints, openStep, type Steps } from './series-steps.ts'
import { storedSpanAround } from './series.ts'
import { stepRatios } from './step-ratios-store.ts'

/** Placeholder for the query in the cache: no source is queried. */
export const trendQuery = 'availability-trend'

/** Mean SLI, 0..1, of the SLOs that have one in the step beginning at `atSeconds`; `endSeconds`: end of the last step. */
export type AvailabilityTrend = { endSeconds: number; points: TrendPoint[] }

type TrendPoint = { atSeconds: number; avgSli: number; sloCount: number }

/**
 * Computes the mean SLI of these SLOs in every step, and in the open step as far as it is measured. Steps without a value are
 * left out. An SLO counts as it is measured now, also before its creation if its history was backfilled. It does not count in a
 * step that was measured for less than half or had no traffic.
 */
export async function availabilityTrend(
  { read }: Pick<Database, 'read'>,
  organizationId: number,
  slos: Pick<SloRow, 'id' | 'revision'>[],
  steps: Steps,
  nowMs: number,
): Promise<AvailabilityTrend> {
  const { startSeconds: from, endSeconds, stepSeconds } = steps
  const nowSeconds = Math.floor(nowMs / 1000)
  const openPart = openStep(steps, nowMs)
  const wholeSteps = Array.from({ length: (endSeconds - from) / stepSeconds }, (_, n) => from + n * stepSeconds)
  const spans = [
    ...wholeSteps.map((atSeconds) => ({ atSeconds, ...storedSpanAround(atSeconds, stepSeconds, nowSeconds) })),
    ...(openPart ? [{ atSeconds: endSeconds, ...openPart }] : []),
  ].slice(-maxPoints)
  const points = spans.map(({ atSeconds }) => ({ atSeconds, sum: 0, sloCount: 0 }))
  const windows = { fromSeconds: from, stepSeconds, windows: spans }
  const add = (_: number, place: number, ratio: number) => {
    const point = points[place]
    if (!point) return
    point.sum += ratio
    point.sloCount++
  }
  await runCooperatively(organizationId, stepRatios(read, slos, windows, nowSeconds, add))
  return {
    endSeconds: openPart?.endSeconds ?? endSeconds,
    points: points
      .filter(({ sloCount }) => sloCount > 0)
      .map(({ atSeconds, sum, sloCount }) => ({ atSeconds, avgSli: round10(sum / sloCount), sloCount })),
  }
}
