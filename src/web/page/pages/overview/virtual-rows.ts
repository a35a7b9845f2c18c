import type { OverviewSlo } from '../../api/types.ts'

/** An item of the list: an SLO, or the heading of a group. */
export type Item =
  { kind: 'slo'; key: string; slo: OverviewSlo } | { kind: 'group'; key: string; title: string; count: number }

/** Rows to draw by their index in the list, and gaps with the height of the rows left out, in pixels. */
export type Piece = { kind: 'row'; place: number } | { kind: 'gap'; key: string; heightPx: number }

/** Height of each kind of row, in pixels. */
export type Heights = { slo: number; group: number }

/** Above this number of rows, only those near the window are drawn. */
export const maxWhole = 300
const marginPx = 400

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

/** Rows between two heights, with a margin around them: `[first, end)`. */
export function rowsBetween(offsets: Float64Array, topPx: number, bottomPx: number): [first: number, end: number] {
  const count = offsets.length - 1
  const first = Math.min(placeAt(offsets, topPx - marginPx), Math.max(0, count - 1))
  return [first, Math.min(count, placeAt(offsets, bottomPx + marginPx) + 1)]
}

/** Row at a height. */
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
export function piecesOf(offsets: Float64Array, [first, end]: [number, number], kept: readonly number[]): Piece[] {
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
