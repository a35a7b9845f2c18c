import { failed } from '../../../promql/errors.ts'
import type { WindowFunction } from '../windows.ts'

/** `double_exponential_smoothing`: the level that the samples have come to, with their trend; both factors are shares. */
export const smoothed =
  (smoothing: Float64Array, trending: Float64Array): WindowFunction =>
  ({ values, from, to, step }) => {
    const [smoothingFactor, trendFactor] = [smoothing[step] ?? NaN, trending[step] ?? NaN]
    refuseFactor('smoothing', 'sf', smoothingFactor)
    refuseFactor('trend', 'tf', trendFactor)
    if (to - from < 2) return undefined
    let level = values[from] ?? NaN
    let trend = (values[from + 1] ?? NaN) - level
    let before = NaN
    for (let index = from + 1; index < to; index += 1) {
      if (index > from + 1) trend = trendFactor * (level - before) + (1 - trendFactor) * trend
      before = level
      level = smoothingFactor * (values[index] ?? NaN) + (1 - smoothingFactor) * (level + trend)
    }
    return level
  }

function refuseFactor(name: string, symbol: string, factor: number) {
  if (factor <= 0 || factor >= 1)
    throw failed(`invalid ${name} factor. Expected: 0 < ${symbol} < 1, got: ${factor.toFixed(6)}`)
}
