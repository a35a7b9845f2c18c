import type { Budget } from './budget.ts'
import type { Column, Frame } from './columns.ts'
import { failed } from './errors.ts'
import { overTime, quantileOverTime, regression } from './over-time.ts'
import { changes, extrapolated, lastChange, resets } from './rate.ts'
import type { Windowed } from './selectors.ts'
import { overWindows, type WindowFunction } from './windows.ts'

/** Calls a function of a range, but for `absent_over_time`; `scalar` is its other argument where it has one. */
export function callRange(
  budget: Budget,
  frame: Frame,
  name: string,
  ranges: Windowed,
  scalar: Float64Array,
): Column[] {
  const keepsName = name === 'last_over_time' || name === 'first_over_time'
  return overWindows(budget, frame, ranges, functionOf(name, scalar), keepsName)
}

function functionOf(name: string, scalar: Float64Array): (times: Float64Array, values: Float64Array) => WindowFunction {
  const simple = name.endsWith('_over_time') ? overTime.get(name.slice(0, -'_over_time'.length)) : undefined
  if (simple) return () => simple
  switch (name) {
    case 'rate':
      return (_times, values) => extrapolated(values, { isCounter: true, perSecond: true })
    case 'increase':
      return (_times, values) => extrapolated(values, { isCounter: true, perSecond: false })
    case 'delta':
      return (_times, values) => extrapolated(values, { isCounter: false, perSecond: false })
    case 'irate':
      return () => lastChange(true)
    case 'idelta':
      return () => lastChange(false)
    case 'resets':
      return () => resets
    case 'changes':
      return () => changes
    case 'deriv':
      return () => (window) => regression(window, window.timesMs[window.from] ?? NaN)?.slope
    case 'predict_linear':
      return () => (window) => {
        const line = regression(window, window.evaluatedMs)
        return line && line.slope * (scalar[window.step] ?? NaN) + line.intercept
      }
    case 'quantile_over_time':
      return () => (window) => quantileOverTime(window, scalar[window.step] ?? NaN)
    default:
      throw failed(`no function “${name}”`)
  }
}
