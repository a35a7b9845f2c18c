/** Share in percent as shown in texts. `isLess`: the share is between 0 and `percent`, and is shown as less than `percent`. */
export type RoundedShare = { percent: number; decimals: 0 | 1; isLess: boolean }

const step = 0.1
/** Percentage up to which a share is a rounding error of binary fractions, and rounds to 0. */
export const noisePercent = 1e-9

/**
 * Rounds a share of a budget or of failures for texts: to one decimal below 10 % and above 99 %, otherwise to whole percent. The result
 * is 0 only for nothing and 100 only for all: a share that would round to 0 becomes less than 0.1, one that would round to 100
 * becomes 99.9.
 */
export function roundShare(percent: number): RoundedShare {
  if (percent > noisePercent && percent < step / 2) return { percent: step, decimals: 1, isLess: true }
  const isPart = percent < 100 - noisePercent
  const tenths = roundTo(percent, 10)
  const isFine = (tenths !== 0 && Math.abs(tenths) < 10) || (tenths > 99 && isPart)
  if (!isFine) return { percent: roundTo(percent, 1), decimals: 0, isLess: false }
  return { percent: Math.min(100 - step, tenths), decimals: 1, isLess: false }
}

/** Used percentage of a budget from which texts give a multiple of the budget instead. */
export const minOverPercent = 101

/** Multiple of the budget for an overspent budget, rounded: 1.05, 3.2; Infinity above 10, for `over 10 times`. */
export function timesOf(percent: number): number {
  if (percent > 1000) return Infinity
  return percent < 110 ? Math.max(1.01, roundTo(percent / 100, 100)) : roundTo(percent / 100, 10)
}

function roundTo(value: number, steps: number): number {
  return Math.round(round6(value * steps)) / steps
}

/** Rounds to six decimals, against binary rounding errors: 12 minutes of a percentage are not 11.9999999. */
export function round6(value: number): number {
  return Number(value.toFixed(6))
}
