import type { Window, WindowFunction } from '../windows.ts'

type Extrapolation = { isCounter: boolean; perSecond: boolean }

/** `rate`, `increase` and `delta`: the change in a window, extrapolated to its borders as Prometheus does. */
export function extrapolated(values: Float64Array, { isCounter, perSecond }: Extrapolation): WindowFunction {
  const resetIndexes = isCounter ? resetsOf(values) : []
  let firstReset = 0
  return (window) => {
    const { from, to } = window
    if (to - from < 2) return undefined
    const first = values[from] ?? NaN
    let change = (values[to - 1] ?? NaN) - first
    while ((resetIndexes[firstReset] ?? Infinity) <= from) firstReset += 1
    for (let index = firstReset; (resetIndexes[index] ?? Infinity) < to; index += 1)
      change += values[(resetIndexes[index] ?? 0) - 1] ?? NaN
    return change * factor(window, isCounter && change > 0 && first >= 0 ? first / change : Infinity, perSecond)
  }
}

/** Indexes of values that are lower than the one before. */
function resetsOf(values: Float64Array): number[] {
  const resetIndexes: number[] = []
  for (let index = 1; index < values.length; index += 1)
    if ((values[index] ?? NaN) < (values[index - 1] ?? NaN)) resetIndexes.push(index)
  return resetIndexes
}

/**
 * Factor from the sampled change to that of the window. `zeroShare`: how long before the first sample a counter would have
 * been zero, as a share of the sampled time; the extrapolation goes back no further. It reaches a border that is less than 1.1
 * average intervals away; towards any other border it covers half an interval.
 */
function factor({ timesMs, from, to, startMs, endMs }: Window, zeroShare: number, perSecond: boolean): number {
  const [firstMs, lastMs] = [timesMs[from] ?? NaN, timesMs[to - 1] ?? NaN]
  const sampledSeconds = (lastMs - firstMs) / 1000
  const intervalSeconds = sampledSeconds / (to - from - 1)
  const extended = (seconds: number) => (seconds < intervalSeconds * 1.1 ? seconds : intervalSeconds / 2)
  const toStart = Math.min(extended((firstMs - startMs) / 1000), sampledSeconds * zeroShare)
  const coveredSeconds = sampledSeconds + toStart + extended((endMs - lastMs) / 1000)
  return coveredSeconds / sampledSeconds / (perSecond ? (endMs - startMs) / 1000 : 1)
}

/** `irate` and `idelta`: the change between the last two samples. */
export function lastChange(isRate: boolean): WindowFunction {
  return ({ timesMs, values, from, to }) => {
    if (to - from < 2) return undefined
    const [previous, last] = [values[to - 2] ?? NaN, values[to - 1] ?? NaN]
    const change = isRate && last < previous ? last : last - previous
    return isRate ? change / (((timesMs[to - 1] ?? NaN) - (timesMs[to - 2] ?? NaN)) / 1000) : change
  }
}

export const resets: WindowFunction = (window) => countPairs(window, (previous, value) => value < previous)

export const changes: WindowFunction = (window) =>
  countPairs(window, (previous, value) => value !== previous && !(Number.isNaN(value) && Number.isNaN(previous)))

function countPairs({ values, from, to }: Window, counts: (previous: number, value: number) => boolean): number {
  let count = 0
  for (let index = from + 1; index < to; index += 1)
    if (counts(values[index - 1] ?? NaN, values[index] ?? NaN)) count += 1
  return count
}
