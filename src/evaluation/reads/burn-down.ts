import type { Db } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { tidy } from '../../slos/arithmetic/budget.ts'
import { windowSeconds } from '../../slos/arithmetic/windows.ts'
import { sumWindows } from '../../ledger/window-sums.ts'

/**
 * Of the SLO's own window how much had burned by a time, in percent of its budget; `null`: nothing was measured by then.
 * `idealPercent` is what may be left for the budget to last exactly its window: a straight line from 100 to 0.
 */
export type BurnDownPoint = {
  atSeconds: number
  burnedPercent: number | null
  idealPercent: number
  coverage: number
}

const maxPoints = 200
const steps = [60, 600, 3600, 6 * 3600, 86_400]

/**
 * How the budget of the SLO's own window that ends at `endSeconds` burned down, from the ledger: at each point the bad
 * events since the window's start, over those that the events of the whole window allow. The window is a rolling one: it
 * begins with a full budget, and what burned before it is none of its business. Points lie on whole steps of UTC, the
 * last at the end. Where the ledger covers a part only, the budget is that of the part, as in the SLI.
 */
export async function burnDown(db: Db, slo: SloRow, endSeconds: number, nowSeconds: number): Promise<BurnDownPoint[]> {
  const ownSeconds = windowSeconds(slo.time_window)
  const startSeconds = endSeconds - ownSeconds
  const ends = pointsBetween(startSeconds, endSeconds)
  const windows = ends.map((end) => ({ sloId: slo.id, revision: slo.revision, startSeconds, endSeconds: end }))
  const sums = await sumWindows(db, windows, nowSeconds)
  const allowed = ((sums.at(-1)?.total ?? 0) * (100 - slo.target)) / 100
  return sums.map(({ good, total, coveredSeconds }, i) => {
    const atSeconds = ends[i] ?? endSeconds
    return {
      atSeconds,
      burnedPercent: coveredSeconds > 0 ? burned(Math.max(0, total - good), allowed) : null,
      idealPercent: 100 - (100 * (atSeconds - startSeconds)) / ownSeconds,
      coverage: tidy(coveredSeconds / (atSeconds - startSeconds)),
    }
  })
}

/** Without a budget the first failure takes all of it, as in `errorBudget`. */
function burned(bad: number, allowed: number): number {
  if (bad === 0) return 0
  return allowed === 0 ? 100 : (100 * bad) / allowed
}

function pointsBetween(startSeconds: number, endSeconds: number): number[] {
  const step = steps.find((seconds) => (endSeconds - startSeconds) / seconds <= maxPoints) ?? 86_400
  const points: number[] = []
  for (let at = (Math.floor(startSeconds / step) + 1) * step; at < endSeconds; at += step) points.push(at)
  return [...points, endSeconds]
}
