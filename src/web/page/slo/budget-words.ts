import type { OverviewSlo } from '../api/types.ts'
import {
  formatBudget,
  formatBurn,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShort,
  overTenTimes,
  timesWords,
} from '../format.ts'
import { round10 } from '../../../slos/arithmetic/budget.ts'
import { windowSeconds } from './burn.ts'
import { isBurning, type State } from './states.ts'

/** Budget of an SLO. `unit`: what it counts; null: nothing is known of it. */
type Used = Pick<OverviewSlo, 'target' | 'time_window' | 'window_percent_used'> & { unit: 'events' | 'seconds' }

/** Percent of the budget of the whole window that is left; null: not known. */
export function leftPercent({ window_percent_used: used }: Pick<Used, 'window_percent_used'>): number | null {
  return used === null ? null : 100 - used
}

/** Budget used: in time, `8 of 43 min used`; of events, `80 % used`; beyond the budget, `used 3.2 times over`. */
export function usedWords(slo: Used): string {
  const used = slo.window_percent_used
  if (used === null) return '–'
  if (used > 100) return overWords(used)
  if (slo.unit === 'events') return `${formatBudget(used)} used`
  return `${ofAllowed(used, slo)} used`
}

/** `used 3.2 times over`; above ten times, `used over 10 times`. */
export function overWords(used: number): string {
  const times = timesWords(used)
  return times === overTenTimes ? `used ${times}` : `used ${times} over`
}

/** Budget left: `35 %`; of a budget that is used up and more, `used 3.2 times over`. */
export function leftWords(leftPercent: number): string {
  return leftPercent < 0 ? overWords(100 - leftPercent) : formatBudget(leftPercent)
}

/** `the lowest was 35 %`, `at worst it was used 3.2 times over`. */
export function lowestWords(leftPercent: number): string {
  return leftPercent < 0 ? `at worst it was ${leftWords(leftPercent)}` : `the lowest was ${leftWords(leftPercent)}`
}

/** Budget left at an axis: `50 %`; below nothing, how many times it is used: `used 3×`. */
export function leftTick(leftPercent: number): string {
  return leftPercent < 0 ? `used ${formatNumber(1 - leftPercent / 100, 1)}×` : formatPercent(leftPercent)
}

/** Share of the time that may fail in the window: `8 of 43 min`. */
export function ofAllowed(usedPercent: number, slo: Pick<Used, 'target' | 'time_window'>): string {
  const { size, unit, whole, digits } = allowedTime(slo)
  return `${formatPart((usedPercent / 100) * (whole / size), digits)} of ${formatShort(whole / size, digits)}\u2009${unit}`
}

/** Rest of that time: `35 of 43 min`. It adds up to the whole with what is used, as both are shown, if a unit of it is left. */
export function leftOfAllowed(usedPercent: number, slo: Pick<Used, 'target' | 'time_window'>): string {
  const { size, unit, whole, digits } = allowedTime(slo)
  const rounded = (value: number) => Number(round10(value).toFixed(digits))
  const added = rounded(whole / size) - rounded((usedPercent / 100) * (whole / size))
  const left = added < 1 ? (1 - usedPercent / 100) * (whole / size) : added
  return `${formatPart(left, digits)} of ${formatShort(whole / size, digits)}\u2009${unit}`
}

function formatPart(part: number, digits: number): string {
  const value = round10(part) // 2.5 is not rounded as 2.4999999999999
  return value > 0 && value < 1 ? formatNumber(Math.max(0.1, value), 1) : formatShort(value, digits)
}

function allowedTime({ target, time_window }: Pick<Used, 'target' | 'time_window'>) {
  const whole = allowedSeconds(target, time_window)
  const [size, unit] = sizes.find(([least]) => whole >= 2 * least) ?? [1, 's']
  return { size, unit, whole, digits: whole / size < 10 ? 1 : 0 }
}

const sizes = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const

/** Seconds that may fail in a window. */
function allowedSeconds(targetPercent: number, timeWindow: string): number {
  return (1 - targetPercent / 100) * windowSeconds(timeWindow)
}

/**
 * Forecast of an answer: `gone in 35 min` while it burns fast, otherwise `lasts 2 d 4 h`; empty where there is none to say.
 */
export function forecastWords(state: State, exhaustsAt: string | null, nowMs: number): string {
  const seconds = restSeconds(state, exhaustsAt, nowMs)
  if (seconds === null) return ''
  const time = formatDuration(seconds)
  return isFast(state) ? `gone in ${time}` : `lasts ${time}`
}

/**
 * Seconds that the rest of the budget lasts, by the forecast of an answer, at least a minute. Null: it lasts or is used up,
 * nothing new is known, or what the rate came from has just ended.
 */
export function restSeconds(state: State, exhaustsAt: string | null, nowMs: number): number | null {
  if (exhaustsAt === null || !hasForecast(state)) return null
  const seconds = (Date.parse(exhaustsAt) - nowMs) / 1000
  return seconds <= 0 ? null : Math.max(60, seconds)
}

/** True for the states whose rate goes on. */
export function hasForecast(state: State): boolean {
  return isBurning(state) || state === 'ok'
}

/** True for the states in which a forecast continues the burn rate of now. */
export function isFast(state: State): boolean {
  return state === 'down' || state === 'burning_fast'
}

const minShown = 0.05

/** Burn rate of now: `Burning 1,000×` while it is down, `Steady 0.1×` at or below 1, otherwise the rate alone. */
export function burnNowWords(state: State, rate: number | null): string {
  if (rate === null) return ''
  if (rate > 1) return state === 'down' ? `Burning ${formatBurn(rate)}` : formatBurn(rate)
  return rate < minShown ? 'Steady' : `Steady ${formatBurn(rate)}`
}
