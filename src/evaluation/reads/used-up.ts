import { floorTo } from '../../ledger/bucket.ts'
import { finestStoredResolution, type LedgerWindow } from '../../ledger/window-spans.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import { burnedPercent } from '../../slos/arithmetic/budget.ts'

/** A point of a burn-down: events, or seconds, failed since the window's start, and their share of the budget. */
export type Burned = { atSeconds: number; bad: number; percent: number }

/**
 * Two points of a burn-down between which the budget was used up. `allowed`: failures allowed in the window from
 * `startSeconds`.
 */
type Crossing = {
  sloId: number
  revision: number
  startSeconds: number
  allowed: number
  from: Burned
  to: Burned
}

const parts = 8

/**
 * Finds the point of each crossing at which the budget was used up, as exact as the ledger: the end of a minute, or of an hour
 * or a day if it keeps no minutes. Each round sums at most eight parts of each crossing; a day takes four rounds.
 */
export async function findUsedUp(
  crossings: readonly Crossing[],
  nowSeconds: number,
  sum: (windows: LedgerWindow[]) => Promise<WindowSum[]>,
): Promise<Burned[]> {
  let bounds = crossings.map(({ from, to }) => ({ from, to }))
  for (;;) {
    const windows = crossings.map(({ sloId, revision, startSeconds: first }, place) => {
      const { from, to } = bounds[place] ?? { from: null, to: null }
      if (!from || !to) return []
      const [startSeconds, keepsLead] = [from.atSeconds, from.atSeconds > first]
      const ends = endsBetween(startSeconds, to.atSeconds, nowSeconds)
      return ends.map((endSeconds) => ({ sloId, revision, startSeconds, endSeconds, keepsLead }))
    })
    if (windows.every(({ length }) => length === 0)) return bounds.map(({ to }) => to)
    const sums = (await sum(windows.flat())).values()
    bounds = bounds.map((last, place) => {
      const { allowed = 0 } = crossings[place] ?? {}
      const points = (windows[place] ?? []).map(({ endSeconds }): Burned => {
        const { good, total } = sums.next().value ?? { good: 0, total: 0 }
        const bad = last.from.bad + Math.max(0, total - good)
        return { atSeconds: endSeconds, bad, percent: burnedPercent(bad, allowed) }
      })
      const at = points.findIndex(({ percent }) => percent >= 100)
      const [from, to] = at < 0 ? [points.at(-1), undefined] : [points[at - 1], points[at]]
      return { from: from ?? last.from, to: to ?? last.to }
    })
  }
}

/**
 * Divides the time between two points into about eight parts that end with kept buckets; empty if no kept bucket ends between
 * them.
 */
function endsBetween(fromSeconds: number, toSeconds: number, nowSeconds: number): number[] {
  const times = Array.from({ length: parts }, (_, at) => fromSeconds + ((toSeconds - fromSeconds) * at) / parts)
  const ends = [...times, toSeconds - 1].map((time) => floorTo(time, finestStoredResolution(time, nowSeconds)))
  return [...new Set(ends)].filter((end) => end > fromSeconds)
}
