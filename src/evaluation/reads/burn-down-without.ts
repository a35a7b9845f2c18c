import type { Db } from '../../db/open.ts'
import { sumExcluded } from '../../ledger/excluded/excluded-store.ts'
import { allowedInWindow, burnedPercent } from '../../slos/arithmetic/budget.ts'

type Key = { sloId: number; revision: number; startSeconds: number }
type Point = { atSeconds: number; bad: number; burnedPercent: number | null }

/**
 * Percent of the budget of the whole window that was burned up to each point without corrections, as if nothing was left out; null
 * where `burnedPercent` is null. `total`: events, or seconds, that count in the window; `points`: sorted by time. Reads each
 * excluded bucket once, in one statement.
 */
export async function burnedWithout(
  db: Db,
  { startSeconds, ...key }: Key,
  { target, total, windowShare }: { target: number; total: number; windowShare: number },
  points: readonly Point[],
): Promise<(number | null)[]> {
  const parts = points.map(({ atSeconds }, at) => {
    return { ...key, startSeconds: points[at - 1]?.atSeconds ?? startSeconds, endSeconds: atSeconds }
  })
  const sums = await sumExcluded(db, parts)
  const allTotal = sums.reduce((sum, one) => sum + one.total, total)
  const allowed = allowedInWindow(allTotal, target, windowShare)
  let excludedBad = 0
  return points.map((point, at) => {
    const { good = 0, total: excluded = 0 } = sums[at] ?? {}
    excludedBad += Math.max(0, excluded - good)
    return point.burnedPercent === null ? null : burnedPercent(point.bad + excludedBad, allowed)
  })
}
