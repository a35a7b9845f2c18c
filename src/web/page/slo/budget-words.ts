import type { OverviewSlo } from '../api/types.ts'
import {
  formatBurn,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShare,
  formatShort,
  formatTarget,
  overTenTimes,
  timesWords,
} from '../format.ts'
import { timeBudget, type TimeBudget, usedText } from '../../../slos/arithmetic/time-budget.ts'
import { isBurning, type State } from './states.ts'

/** Used budget of an SLO. `unit`: what the SLO counts; `window_percent_used` null: not known. */
type Used = Pick<OverviewSlo, 'target' | 'window_seconds' | 'window_percent_used'> & { unit: 'events' | 'seconds' }

/** Percent of the budget of the whole window that is left; null: not known. */
export function leftPercent({ window_percent_used: used }: Pick<Used, 'window_percent_used'>): number | null {
  return used === null ? null : 100 - used
}

/** Budget used: in time, `8 of 43 min used`; of events, `80 % used`; beyond the budget, `used 3.2 times over`. */
export function usedWords(slo: Used): string {
  const used = slo.window_percent_used
  if (used === null) return '–'
  return slo.unit === 'events' || used > 100 ? usedShareWords(used) : `${ofAllowed(used, slo)} used`
}

/** `used 3.2 times over`; above ten times, `used over 10 times`. */
export function overWords(used: number): string {
  const times = timesWords(used)
  return times === overTenTimes ? `used ${times}` : `used ${times} over`
}

/** Budget used, as a share: `35 % used`; beyond the budget `used 3.2 times over`. */
export function usedShareWords(used: number): string {
  return used > 100 ? overWords(used) : `${formatShare(used)} used`
}

/** Budget left, from its percent: `35 %`; of a budget that is used up and more, `used 3.2 times over`. */
export function leftWords(percent: number): string {
  return percent < 0 ? overWords(100 - percent) : formatShare(percent)
}

/** `the lowest was 35 %`, `at worst it was used 3.2 times over`. */
export function lowestWords(percent: number): string {
  return percent < 0 ? `at worst it was ${leftWords(percent)}` : `the lowest was ${leftWords(percent)}`
}

/** Budget left at an axis: `50 %`; below nothing, how many times it is used: `used 3×`. */
export function leftTick(percent: number): string {
  return percent < 0 ? `used ${formatNumber(1 - percent / 100, 1)}×` : formatPercent(percent)
}

type Timed = Pick<Used, 'target' | 'window_seconds'>

/** Share of the time that may fail in the window: `8 of 43 min`, `1.4 of 43 min`. */
export function ofAllowed(usedPercent: number, slo: Timed): string {
  const budget = timeBudgetOf(usedPercent, slo)
  return ofWhole(usedText(budget, usedPercent, oneDecimal), budget)
}

/** Time that may still fail: `35 of 43 min`. While a whole unit is left, it and the used time add up to the whole, as they are shown. */
export function leftOfAllowed(usedPercent: number, slo: Timed): string {
  const budget = timeBudgetOf(usedPercent, slo)
  return ofWhole(oneDecimal(budget.left), budget)
}

/** Share of the time that may fail in the window, alone: `288 min`. */
export function timeOf(percent: number, slo: Timed): string {
  const { used, unit } = timeBudgetOf(percent, slo)
  return `${oneDecimal(used)}\u2009${unit}`
}

function timeBudgetOf(usedPercent: number, { target, window_seconds }: Timed): TimeBudget {
  const allowedSeconds = (1 - target / 100) * window_seconds
  return timeBudget((usedPercent / 100) * allowedSeconds, allowedSeconds)
}

function ofWhole(part: string, { allowed, unit }: TimeBudget): string {
  return `${part} of ${oneDecimal(allowed)}\u2009${unit}`
}

function oneDecimal(n: number): string {
  return formatShort(n, 1)
}

/** Forecast in words: `gone in 35 min` in the states of `isFast`, otherwise `lasts 2 d 4 h`; empty without a forecast. */
export function forecastWords(state: State, exhaustsAt: string | null, nowMs: number): string {
  const seconds = restSeconds(state, exhaustsAt, nowMs)
  if (seconds === null) return ''
  const time = formatDuration(seconds)
  return isFast(state) ? `gone in ${time}` : `lasts ${time}`
}

/**
 * Seconds that the rest of the budget lasts, by the forecast of the API, at least a minute. Null: it lasts or is used up,
 * nothing new is known, or what the rate came from has just ended.
 */
export function restSeconds(state: State, exhaustsAt: string | null, nowMs: number): number | null {
  if (exhaustsAt === null || !hasForecast(state)) return null
  const seconds = (Date.parse(exhaustsAt) - nowMs) / 1000
  return seconds <= 0 ? null : Math.max(60, seconds)
}

/** True for the states that have a forecast: the SLO burns, or is on track. */
export function hasForecast(state: State): boolean {
  return isBurning(state) || state === 'ok'
}

/** True for the states whose forecast is made of the current burn rate; that of others uses the rate of a longer window. */
export function isFast(state: State): boolean {
  return state === 'down' || state === 'burning_fast'
}

const minShownRate = 0.05

/** Burn rate of now: `Burning 1,000×` while it is down, `Steady 0.1×` at or below 1, otherwise the rate alone. */
export function burnNowWords(state: State, rate: number | null): string {
  if (rate === null) return ''
  if (rate > 1) return state === 'down' ? `Burning ${formatBurn(rate)}` : formatBurn(rate)
  return rate < minShownRate ? 'Steady' : `Steady ${formatBurn(rate)}`
}

/** Label of the line of a target. */
export function targetLineLabel(targetPercent: number): string {
  return `target ${formatTarget(targetPercent)}\u2009%`
}
