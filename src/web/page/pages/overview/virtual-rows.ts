import type { OverviewSlo } from '../../api/types.ts'

/** An item of the list: an SLO, or the heading of a group. */
export type Item =
  { kind: 'slo'; key: string; slo: OverviewSlo } | { kind: 'group'; key: string; title: string; count: number }

/** Rows to draw by their index in the list, and gaps with the height of the rows left out, in pixels. */
export type Piece = { kind: 'row'; place: number } | { kind: 'gap'; key: string; heightPx: number }

/** Height of each kind of row, in pixels. */
export type Heights = { slo: number; group: number }

/** Rows from an index to before another. */
export type Range = readonly [first: number, end: number]

/** Above this number of rows, only those near the window are drawn. */
export const maxAllDrawn = 300

/** Rows that one frame adds to the drawn ones. Each takes about 2 ms, and a frame with more than 50 ms of work is seen as a jerk. */
export const maxNewRows = 10
const marginPx = 300

/** The groups as one list; a group without a title has no heading. */
export function listItems(groups: readonly { title: string; slos: readonly OverviewSlo[] }[]): Item[] {
  return groups.flatMap(({ title, slos }) => [
    ...(title === '' ? [] : [{ kind: 'group', key: `group ${title}`, title, count: slos.length } as const]),
    ...slos.map((slo) => ({ kind: 'slo', key: String(slo.id), slo }) as const),
  ])
}

/** Start of each row in pixels from the first; the last entry is the end of the last row. */
export function offsetsOf(items: readonly Item[], heights: Heights): Float64Array {
  const offsets = new Float64Array(items.length + 1)
  for (const [at, { kind }] of items.entries()) offsets[at + 1] = (offsets[at] ?? 0) + heights[kind]
  return offsets
}

/** Rows between two heights (`seen`), and those with a margin around them. */
export function rowsBetween(offsets: Float64Array, topPx: number, bottomPx: number): { seen: Range; around: Range } {
  const count = offsets.length - 1
  const rangeBetween = (fromPx: number, toPx: number): Range => [
    Math.min(placeAt(offsets, fromPx), Math.max(0, count - 1)),
    Math.min(count, placeAt(offsets, toPx) + 1),
  ]
  return { seen: rangeBetween(topPx, bottomPx), around: rangeBetween(topPx - marginPx, bottomPx + marginPx) }
}

/**
 * Rows to draw in the next frame: of the drawn ones those that are still near, and at most `maxNewRows` others, first those that
 * are seen. Repeated, it ends with `around`.
 */
export function nextRows(drawn: Range, { seen, around }: { seen: Range; around: Range }): Range {
  const isNear = drawn[0] < seen[1] && seen[0] < drawn[1]
  let [first, end] = isNear ? [Math.max(drawn[0], around[0]), Math.min(drawn[1], around[1])] : [seen[0], seen[0]]
  let left = maxNewRows
  for (const [from, to] of [seen, around]) {
    const addedBelow = Math.min(left, Math.max(0, to - end))
    const addedAbove = Math.min(left - addedBelow, Math.max(0, first - from))
    end += addedBelow
    first -= addedAbove
    left -= addedBelow + addedAbove
  }
  return [first, end]
}

/** Index of the row at a height, in pixels below the top of the list. */
function placeAt(offsets: Float64Array, px: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((offsets[middle] ?? 0) <= px) low = middle
    else high = middle - 1
  }
  return low
}

/** Rows of a range and those in `kept`, which have or get the focus, with gaps for the others. */
export function piecesOf(offsets: Float64Array, [first, end]: Range, kept: readonly number[]): Piece[] {
  const count = offsets.length - 1
  const places = new Set(kept.filter((place) => place >= 0 && place < count))
  for (let place = first; place < end; place++) places.add(place)
  const pieces: Piece[] = []
  let next = 0
  const gapTo = (place: number) => {
    const heightPx = (offsets[place] ?? 0) - (offsets[next] ?? 0)
    if (heightPx > 0) pieces.push({ kind: 'gap', key: `gap ${pieces.length}`, heightPx })
  }
  for (const place of [...places].toSorted((a, b) => a - b)) {
    gapTo(place)
    pieces.push({ kind: 'row', place })
    next = place + 1
  }
  gapTo(count)
  return pieces
}
