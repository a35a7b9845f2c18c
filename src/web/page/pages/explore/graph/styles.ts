import type { Line } from '../../../charts/plot-types.ts'
import type { Drawn } from './graph-lines.ts'

/** Number of series that differ in colour and in dash or dots. */
export const maxDistinct = 8

const dashes: (number[] | undefined)[] = [undefined, [6, 4], [2, 3], [10, 3, 2, 3]]
const dotsInLine = 10

/** Style of a line: a colour and a dash of its own, and dots from the fifth line on; it repeats after eight in other dashes. */
export type LineStyle = { color: string; dash?: number[]; hasDots: boolean }

/** Style of the line at an index of the drawn series. */
export function styleOf(at: number): LineStyle {
  const slot = at % maxDistinct
  const dash = dashes[(slot + Math.floor(at / maxDistinct)) % dashes.length]
  return { color: `--series${slot + 1}`, hasDots: slot >= dashes.length, ...(dash && { dash }) }
}

/** Names of the drawn series, each at the index of its style (see `styleOf`); null: no series has this style. */
export type StyleSlots = readonly (string | null)[]

/** Slots after a series was shown, in the first free one, or hidden. */
export function withToggled(slots: StyleSlots, name: string): StyleSlots {
  const at = slots.indexOf(name)
  if (at >= 0) return slots.with(at, null)
  const free = slots.indexOf(null)
  return free < 0 ? [...slots, name] : slots.with(free, name)
}

type Options = { slots: StyleSlots; isStacked: boolean; only: string | null }

/** Lines of the series that have a slot. Stacked, each is the sum of the series up to it, filled, the highest line first. */
export function linesOf(series: readonly Drawn[], { slots, isStacked, only }: Options): Line[] {
  const byName = new Map(series.map((one) => [one.name, one]))
  const shown = slots.flatMap((name, at) => {
    const one = name === null || (only !== null && name !== only) ? undefined : byName.get(name)
    return one ? [{ ...one, style: styleOf(at), at }] : []
  })
  const isCrowded = shown.length > 12
  const sums: number[] = []
  const lines = shown.map(({ name, values: own, style: { color, dash, hasDots }, at }) => {
    const values = isStacked ? own.map((value, time) => (value === null ? null : addToSum(sums, time, value))) : own
    return {
      label: name,
      values,
      color,
      ...(dash && { dash }),
      ...(isStacked && { fill: `${color}-area` }),
      widthPx: isCrowded ? 1 : 1.5,
      dots: dotsOf(values, hasDots ? at : null),
    }
  })
  return isStacked ? lines.toReversed() : lines
}

function addToSum(sums: number[], at: number, value: number): number {
  return (sums[at] = (sums[at] ?? 0) + value)
}

/**
 * Indices of values without neighbours, which no line shows, and of about ten more if the line has dots. `shift`: index of the style, by
 * which dots of different lines are at different times; null: no dots.
 */
function dotsOf(values: readonly (number | null)[], shift: number | null): number[] {
  const every = Math.max(1, Math.floor(values.length / dotsInLine))
  const isMarked = (at: number) => shift !== null && (at + shift * Math.ceil(every / maxDistinct)) % every === 0
  return values.flatMap((value, at) => {
    if (value === null) return []
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
    return isAlone || isMarked(at) ? [at] : []
  })
}

/** Range of the axis for stacked lines: from zero, or the lowest sum, to a little above the highest. */
export function rangeOfStack(lines: readonly Line[]): [number, number] {
  const values = lines.flatMap(({ values }) => values.filter((value) => value !== null))
  const [min, max] = values.reduce(([min, max], value) => [Math.min(min, value), Math.max(max, value)], [0, 0])
  return min === max ? [0, 1] : [min * 1.05, max * 1.05]
}

/** A column of the legend by which series are sorted; null: as the source sent them. */
export type Order = { by: 'name' | keyof Drawn['figures']; isDescending: boolean } | null

/** Series in an order; those without values come last. */
export function inOrder(series: readonly Drawn[], order: Order): readonly Drawn[] {
  if (order === null) return series
  const { by, isDescending } = order
  const sign = isDescending ? -1 : 1
  if (by === 'name') return series.toSorted((a, b) => sign * a.name.localeCompare(b.name, 'en', { numeric: true }))
  const rank = ({ figures }: Drawn) => figures[by] ?? sign * Infinity
  return series.toSorted((a, b) => sign * (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}
