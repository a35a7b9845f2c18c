import { quantile } from '../sums.ts'
import type { WindowFunction } from '../windows.ts'

/** `mad_over_time`: the median of the distances from the median. */
export const deviation: WindowFunction = ({ values, from, to }) => {
  const all = [...values.subarray(from, to)]
  const median = quantile(0.5, all)
  return quantile(
    0.5,
    all.map((value) => Math.abs(value - median)),
  )
}

/** Unix seconds of the last sample. */
export const timeOfLast: WindowFunction = ({ timesMs, to }) => (timesMs[to - 1] ?? NaN) / 1000

/** Unix seconds of the last sample that no other one beats; any beats NaN. */
export const timeOfPick =
  (isBetter: (value: number, best: number) => boolean): WindowFunction =>
  ({ timesMs, values, from, to }) => {
    let picked = from
    for (let index = from + 1; index < to; index += 1) {
      const best = values[picked] ?? NaN
      if (isBetter(values[index] ?? NaN, best) || Number.isNaN(best)) picked = index
    }
    return (timesMs[picked] ?? NaN) / 1000
  }
