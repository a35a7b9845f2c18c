import { type Annotator, shortNumber } from './annotations.ts'
import type { Budget } from './budget.ts'
import { type Column, countPresent, emptyColumn, type Frame, put } from './columns.ts'
import { queryFailed } from '../../promql/errors.ts'
import { greater, smaller } from './functions/math.ts'
import type { Labels } from '../../promql/labels.ts'

/** `limitk`: at each step, the first `k` series of each group in the order of their labels. */
export function firstOfEach(budget: Budget, frame: Frame, groups: Column[][], param: Float64Array): Column[] {
  const all = groups.flat()
  refuseOverflow(param, countPresent(frame, all))
  return groups.flatMap((group) => {
    const counts = new Uint32Array(frame.count)
    return chosen(budget, frame, group, (_column, step) => {
      const isTaken = (counts[step] ?? 0) < Math.trunc(param[step] ?? NaN)
      if (isTaken) counts[step] = (counts[step] ?? 0) + 1
      return isTaken
    })
  })
}

/**
 * Throws if a `k` does not fit into int64, at a step at which a series has a value. Does not throw if every `k` is less than 1.
 * `present`: number of series with a value at each step.
 */
export function refuseOverflow(param: Float64Array, present: ArrayLike<number>) {
  const wrong = param.find((k, step) => !(k >= -(2 ** 63) && k < 2 ** 63) && (present[step] ?? 0) > 0)
  if (wrong !== undefined && !(greatestOf(param) < 1))
    throw queryFailed(`Scalar value ${shortNumber(wrong)} overflows int64`)
}

/** `limit_ratio`: the share of the series that the hash of their labels selects; a negative share selects the others. */
export function sampled(
  budget: Budget,
  frame: Frame,
  columns: Column[],
  param: Float64Array,
  { annotator, from }: { annotator: Annotator; from: number },
): Column[] {
  if (param.every((ratio) => ratio === 0)) return []
  const [min, max] = [smallestOf(param), greatestOf(param)]
  if (max > 1) annotator.warn(outOfBounds(max, 1), from)
  if (min < -1) annotator.warn(outOfBounds(min, -1), from)
  const offsets = new Map(columns.map((column) => [column, offsetOf(column.labels)]))
  return chosen(budget, frame, columns, (column, step) => {
    const ratio = param[step] ?? NaN
    if (Number.isNaN(ratio)) throw queryFailed(`Ratio value ${ratio} is NaN`)
    const [bound, offset] = [Math.max(-1, Math.min(1, ratio)), offsets.get(column) ?? NaN]
    return bound >= 0 ? offset < bound : offset >= 1 + bound
  })
}

const outOfBounds = (ratio: number, bound: number) =>
  `ratio value should be between -1 and 1, got ${shortNumber(ratio)}, capping to ${bound}`

export const greatestOf = (values: Float64Array) => values.reduce(greater)
export const smallestOf = (values: Float64Array) => values.reduce(smaller)

function chosen(
  budget: Budget,
  frame: Frame,
  columns: Column[],
  isChosen: (column: Column, step: number) => boolean,
): Column[] {
  return columns.flatMap((column) => {
    const result = emptyColumn(column.labels, frame)
    budget.addSamples(frame.count)
    for (let step = 0; step < frame.count; step += 1)
      if (column.has[step] === 1 && isChosen(column, step)) put(result, step, column.values[step] ?? NaN)
    return result.has.includes(1) ? result : []
  })
}

const largestHash = 2 ** 64

/** Number from 0 to 1 for a label set: its hash, computed like in releases of Prometheus. */
function offsetOf(labels: Labels): number {
  const sorted = Object.entries(labels).map((pair) => pair.map((text) => Buffer.from(text)))
  const texts = sorted.toSorted(([a = empty], [b = empty]) => Buffer.compare(a, b)).flat()
  const bytes = Buffer.concat(texts.flatMap((text) => [lengthOf(text), text]))
  return Number(Bun.hash.xxHash64(bytes)) / largestHash
}

const empty = Buffer.alloc(0)
const maxByByte = 255

/** Encodes a length as one byte, or as 255 and three bytes. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < maxByByte) return Buffer.of(length)
  return Buffer.of(maxByByte, length & 255, (length >> 8) & 255, (length >> 16) & 255)
}
