import { isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { day, floorTo, minute } from '../../ledger/bucket.ts'
import { sumExcluded } from '../../ledger/excluded/excluded-store.ts'
import { type Masks, masksOf } from '../../ledger/excluded/masks.ts'
import { secondsOf } from '../../slos/corrections/spans.ts'

type Window = { startSeconds: number; endSeconds: number }

/**
 * Part of a window that does not count: its time, and the events (or seconds) in it. `coarsest`: length in seconds of the longest bucket
 * of which only a share could be left out, at least a minute.
 */
export type Excluded = { seconds: number; good: number; total: number; coarsest: number }

/** Sums what is excluded in each window, in the order of the windows; null: nothing is excluded. */
export async function excludedIn(
  db: Pick<Database, 'read' | 'write'>,
  windows: readonly (Window & { slo: Pick<SloRow, 'id' | 'revision'> })[],
): Promise<(Excluded | null)[]> {
  const masks = await masksOf(db)
  if (masks.isEmpty) return windows.map(() => null)
  const placed = windows.flatMap(({ slo: { id: sloId, revision }, startSeconds, endSeconds }, place) => {
    const seconds = secondsOf(masks.spansOf(sloId, { startSeconds, endSeconds }))
    return seconds === 0 ? [] : [{ place, seconds, key: { sloId, revision, startSeconds, endSeconds } }]
  })
  const sums = await sumExcluded(
    db.read,
    placed.map(({ key }) => key),
  )
  const excluded: (Excluded | null)[] = windows.map(() => null)
  placed.forEach(({ place, seconds }, at) => {
    const { good = 0, total = 0, coarsest = minute } = sums[at] ?? {}
    excluded[place] = { seconds, good, total, coarsest }
  })
  return excluded
}

const lookAheadSeconds = 8 * day

/** Exclusion of a moment; `until`: its end in ISO 8601, at most eight days ahead. Null: the moment counts. */
export function exclusionAt(masks: Masks, sloId: number, timeMs: number): { until: string } | null {
  const startSeconds = floorTo(timeMs / 1000, minute)
  const [first] = masks.spansOf(sloId, { startSeconds, endSeconds: startSeconds + lookAheadSeconds })
  return first?.startSeconds === startSeconds ? { until: isoTime(1000 * first.endSeconds) } : null
}
