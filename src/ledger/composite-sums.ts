import type { Db } from '../db/open.ts'
import { combineSums } from '../slos/arithmetic/composite.ts'
import type { Reach } from '../slos/arithmetic/reach.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import { findComposites, keyOf, type MaybeComposite } from './composite-store.ts'

/** Replaces the windows of composites by those of their members, and sums these with `sum`. */
export async function sumWithComposites<Window extends MaybeComposite>(
  db: Db,
  windows: Window[],
  sum: (windows: Window[]) => Promise<WindowSum[]>,
): Promise<WindowSum[]> {
  const composites = await findComposites(db, windows)
  if (composites.size === 0) return sum(windows)
  const placed = windows.map((window) => {
    const stored = composites.get(keyOf(window))
    return {
      stored,
      windows: stored ? stored.members.flatMap((one) => (one ? [{ ...window, ...one }] : [])) : [window],
    }
  })
  const sums = (await sum(placed.flatMap((one) => one.windows))).values()
  return placed.map(({ stored }) => {
    const next = () => sums.next().value ?? { good: 0, total: 0, coveredSeconds: 0 }
    if (!stored) return next()
    return combineSums(
      stored.composite,
      stored.members.map((one) => (one ? next() : null)),
    )
  })
}

/**
 * Past of a composite from that of its members: it begins with the earliest first sample; while a backfill runs, with the latest.
 */
export function combineReaches(reaches: readonly Reach[]): Reach {
  const firsts = reaches.flatMap(({ firstSeconds }) => (firstSeconds === null ? [] : [firstSeconds]))
  const isFilling = reaches.some((one) => one.isFilling)
  const first = isFilling ? Math.max(...firsts) : Math.min(...firsts)
  return {
    firstSeconds: firsts.length === 0 ? null : first,
    completeFromSeconds: reaches.length === 0 ? Infinity : Math.max(...reaches.map((one) => one.completeFromSeconds)),
    isFilling,
  }
}
