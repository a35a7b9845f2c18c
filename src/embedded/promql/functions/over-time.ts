import { add, isInfinite, meanOf, newSum, quantile, sumOf, total } from '../sums.ts'
import type { Window, WindowFunction } from '../windows.ts'

const pickBy =
  (isBetter: (value: number, best: number) => boolean): WindowFunction =>
  ({ values, from, to }) => {
    let best = values[from] ?? NaN
    for (let index = from + 1; index < to; index += 1) {
      const value = values[index] ?? NaN
      if (isBetter(value, best) || Number.isNaN(best)) best = value
    }
    return best
  }

/** Population variance by Welford's algorithm. */
const variance = ({ values, from, to }: Window) => {
  const [mean, squares] = [newSum(), newSum()]
  for (let index = from; index < to; index += 1) {
    const value = values[index] ?? NaN
    const delta = value - total(mean)
    add(mean, delta / (index - from + 1))
    add(squares, delta * (value - total(mean)))
  }
  return total(squares) / (to - from)
}

/** `mad_over_time`: the median of the distances from the median. */
const deviation: WindowFunction = ({ values, from, to }) => {
  const all = [...values.subarray(from, to)]
  const median = quantile(0.5, all)
  return quantile(
    0.5,
    all.map((value) => Math.abs(value - median)),
  )
}

/** Unix seconds of the last sample. */
const timeOfLast: WindowFunction = ({ timesMs, to }) => (timesMs[to - 1] ?? NaN) / 1000

/** Unix seconds of the last sample that no other one beats; any sample beats NaN. */
const timeOfPick =
  (isBetter: (value: number, best: number) => boolean): WindowFunction =>
  ({ timesMs, values, from, to }) => {
    let picked = from
    for (let index = from + 1; index < to; index += 1) {
      const best = values[picked] ?? NaN
      if (isBetter(values[index] ?? NaN, best) || Number.isNaN(best)) picked = index
    }
    return (timesMs[picked] ?? NaN) / 1000
  }

/** Functions of a window by the name in `<name>_over_time`. */
export const overTime = new Map<string, WindowFunction>([
  ['avg', ({ values, from, to }) => meanOf(values, from, to)],
  ['sum', ({ values, from, to }) => sumOf(values, from, to)],
  ['min', pickBy((value, best) => value < best)],
  ['max', pickBy((value, best) => value > best)],
  ['count', ({ from, to }) => to - from],
  ['first', ({ values, from }) => values[from]],
  ['last', ({ values, to }) => values[to - 1]],
  ['present', () => 1],
  ['stddev', (window) => Math.sqrt(variance(window))],
  ['stdvar', variance],
  ['mad', deviation],
  ['ts_of_min', timeOfPick((value, best) => value <= best)],
  ['ts_of_max', timeOfPick((value, best) => value >= best)],
  ['ts_of_last', timeOfLast],
])

export function quantileOverTime({ values, from, to }: Window, share: number): number {
  return quantile(share, [...values.subarray(from, to)])
}

/** Linear regression of the samples: slope per second, and value at `atMs`. Undefined for fewer than two samples. */
export function regression({ timesMs, values, from, to }: Window, atMs: number) {
  if (to - from < 2) return undefined
  const [xs, ys, products, squares] = [newSum(), newSum(), newSum(), newSum()]
  const first = values[from] ?? NaN
  let isConstant = true
  for (let index = from; index < to; index += 1) {
    const value = values[index] ?? NaN
    if (index > from && value !== first) isConstant = false
    const x = ((timesMs[index] ?? NaN) - atMs) / 1000
    add(xs, x)
    add(ys, value)
    add(products, x * value)
    add(squares, x * x)
  }
  if (isConstant) return isInfinite(first) ? { slope: NaN, intercept: NaN } : { slope: 0, intercept: first }
  const count = to - from
  const [x, y] = [total(xs), total(ys)]
  const slope = (total(products) - (x * y) / count) / (total(squares) - (x * x) / count)
  return { slope, intercept: y / count - (slope * x) / count }
}
