/** Share in percent as texts have it, with so many decimals; `isLess`: it is less than `percent`, and more than nothing. */
export type RoundedShare = { percent: number; decimals: 0 | 1; isLess: boolean }

const step = 0.1
/** Percentage up to which a share is a rounding error of binary fractions, and rounds to 0. */
export const noisePercent = 1e-9

/**
 * Rounds a share of a budget or of failures, in percent, for every text: to a decimal below 10 and above 99, else to whole percent. Only
 * nothing is 0 and only all is 100: what would round to 0 is less than 0.1, what would round to 100 is 99.9.
 */
export function roundShare(percent: number): RoundedShare {
  if (percent > noisePercent && percent < step / 2) return { percent: step, decimals: 1, isLess: true }
  const isPart = percent < 100 - noisePercent
  const tenths = roundTo(percent, 10)
  const isFine = (tenths !== 0 && Math.abs(tenths) < 10) || (tenths > 99 && isPart)
  if (!isFine) return { percent: roundTo(percent, 1), decimals: 0, isLess: false }
  return { percent: Math.min(100 - step, tenths), decimals: 1, isLess: false }
}

/** Percentage of a budget from which texts say how many times it is used. */
export const minOverPercent = 101

/** Number of times that more than all of a budget is: 1.05, 3.2, above 10 Infinity, for `over 10 times`. */
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
