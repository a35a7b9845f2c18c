import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../db/open.ts'
import { tidy } from '../slos/budget.ts'
import { listRevised } from '../slos/store.ts'
import { sliOfSum, sumWindows } from './ledger/window-sums.ts'
import type { Steps } from './series-steps.ts'

/** The mean SLI, 0..1, of the SLOs that have one over the step that begins there. */
export type TrendPoint = { atSeconds: number; avgSli: number; sloCount: number }

/**
 * The mean over the active SLOs of an organization, in every step in which the ledger has a value for any; an SLO counts
 * as it is measured now, and where a step was measured for less than half, or had no traffic, it does not count.
 */
export async function availabilityTrend(
  { read }: Pick<Database, 'read'>,
  organizationId: number,
  { startSeconds: from, endSeconds, stepSeconds }: Steps,
  nowSeconds: number,
): Promise<TrendPoint[]> {
  const count = (endSeconds - from) / stepSeconds
  const starts = Array.from({ length: count }, (_, n) => from + n * stepSeconds)
  const points = starts.map((atSeconds) => ({ atSeconds, sum: 0, sloCount: 0 }))
  for (const { id: sloId, revision } of await listRevised(read, organizationId)) {
    const windows = starts.map((startSeconds) => ({
      sloId,
      revision,
      startSeconds,
      endSeconds: startSeconds + stepSeconds,
      isStep: true,
    }))
    const sums = await sumWindows(read, windows, nowSeconds)
    points.forEach((point, n) => {
      const sum = sums[n]
      const ratio = sum ? sliOfSum(sum, stepSeconds).ratio : null
      if (ratio === null) return
      point.sum += ratio
      point.sloCount++
    })
    await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last SLO
  }
  return points
    .filter(({ sloCount }) => sloCount > 0)
    .map(({ atSeconds, sum, sloCount }) => ({ atSeconds, avgSli: tidy(sum / sloCount), sloCount }))
}
