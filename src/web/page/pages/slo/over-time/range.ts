import { rangeOfWindow } from '../../../slo/own-window.ts'
import type { Budget } from '../../../api/types.ts'
import { windowSeconds } from '../../../slo/burn.ts'
import { field, type Fields, readFields, text, withFields } from '../../../address/fields.ts'

/**
 * Time range of the charts, and the step for the API. `name`: one of `ranges`, the window of the SLO, or `custom`. `query`: the
 * parameters for the API.
 */
export type Range = { name: string; fromMs: number; toMs: number; stepSeconds: number; query: string }

const ranges = ['1h', '6h', '24h', '7d', '30d', '90d'] as const

const moment = field<number | null>((value) => (Number(value) > 0 ? Number(value) : undefined), null)

/** Range of an address: its name, or moments in milliseconds. */
export const rangeFields = { range: text, from: moment, to: moment }

const maxPoints = 400
const minRangeMs = 600_000
const minShiftMs = 60_000
const steps = [60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

/** Range of an address: `from` and `to` in milliseconds, or `range`; by default the SLO's window. */
export function readRange(address: Fields<typeof rangeFields>, ownWindow: string, nowMs: number): Range {
  const { range: asked, from: fromMs, to: toMs } = address
  if (fromMs !== null && toMs !== null && Math.min(toMs, nowMs) - fromMs >= minRangeMs) {
    const stepSeconds = stepFor((toMs - fromMs) / 1000)
    const from = Math.floor(fromMs / 1000 / stepSeconds) * stepSeconds
    // the API refuses times in the future
    const to = Math.min(Math.ceil(toMs / 1000 / stepSeconds) * stepSeconds, Math.floor(nowMs / 1000))
    const query = `start=${new Date(from * 1000).toISOString()}&end=${new Date(to * 1000).toISOString()}&step=${stepSeconds / 60}m`
    return { name: 'custom', fromMs: from * 1000, toMs: to * 1000, stepSeconds, query }
  }
  const name = (ranges as readonly string[]).includes(asked) ? asked : rangeOfWindow(ownWindow)
  const seconds = windowSeconds(name)
  const stepSeconds = stepFor(seconds)
  return {
    name,
    fromMs: nowMs - seconds * 1000,
    toMs: nowMs,
    stepSeconds,
    query: `period=${name}&step=${stepSeconds / 60}m`,
  }
}

const maxApiPoints = 1000 // that the API answers for a series

/**
 * Query of a range that begins `earlierSeconds` sooner, so that a burn-rate window that ends where the range begins has all its data. The
 * step is the finest that the API answers, at least that of the range.
 */
export function queryFrom({ name, fromMs, toMs, stepSeconds }: Range, earlierSeconds: number): string {
  const seconds = (toMs - fromMs) / 1000 + earlierSeconds
  const step = Math.max(stepSeconds, steps.find((one) => seconds / one < maxApiPoints) ?? 86_400)
  const stepParameter = `step=${step / 60}m`
  if (name !== 'custom') return `period=${Math.ceil(seconds / step) * (step / 60)}m&${stepParameter}`
  const from = Math.floor((fromMs / 1000 - earlierSeconds) / step) * step
  return `start=${new Date(from * 1000).toISOString()}&end=${new Date(toMs).toISOString()}&${stepParameter}`
}

/** Shortest range that has all data of an SLO; its window if no shorter range has. */
export function rangeOfData({ burn_down: points, coverage, time_window }: Measured): string {
  const endMs = Date.parse(points.at(-1)?.timestamp ?? '')
  const first = points.findIndex((point) => point.coverage > 0)
  // if only the last two points have data, the measured time is all that is known
  const seconds =
    first >= points.length - 2
      ? (coverage ?? 1) * windowSeconds(time_window)
      : (endMs - Date.parse(points[Math.max(0, first - 1)]?.timestamp ?? '')) / 1000
  return rangesOf(time_window).find((name) => windowSeconds(name) >= seconds) ?? rangeOfWindow(time_window)
}

type Measured = Pick<Budget, 'coverage' | 'time_window'> & { burn_down: { timestamp: string; coverage: number }[] }

/** Ranges shorter than the SLO's window, and one as long as it. */
export function rangesOf(ownWindow: string): string[] {
  const own = rangeOfWindow(ownWindow)
  return [...new Set([...ranges.filter((name) => windowSeconds(name) < windowSeconds(own)), own])]
}

/** Range of the same length before a range, or after it up to now; null if that moves it by less than a minute. */
export function shiftedRange(
  { fromMs, toMs }: Pick<Range, 'fromMs' | 'toMs'>,
  by: 1 | -1,
  nowMs: number,
): { fromMs: number; toMs: number } | null {
  const lengthMs = toMs - fromMs
  const end = Math.min(nowMs, toMs + by * lengthMs)
  return by > 0 && end - toMs < minShiftMs ? null : { fromMs: end - lengthMs, toMs: end }
}

/** Finest step with at most as many points as a chart can show. */
export function stepFor(seconds: number): number {
  return steps.find((step) => seconds / step <= maxPoints) ?? 86_400
}

/** Address with the current range as fixed times, so that it shows the same when opened later. */
export function fixedAddress(url: string, ownWindow: string, nowMs: number): string {
  const address = readFields(rangeFields, url.split('?')[1] ?? '')
  if (address.range === '') return url
  const { fromMs, toMs } = readRange(address, ownWindow, nowMs)
  return withFields(rangeFields, url, { range: '', from: Math.round(fromMs), to: Math.round(toMs) })
}

/**
 * Visible time range of all charts. Null for the window of the SLO: each chart then shows all its data, the forecast too. `usual`: name of
 * the range of an address that has none; that range is shown from the first sample on, at `firstMs` (NaN: not known).
 */
export function viewOf(
  { name, fromMs, toMs }: Range,
  { ownWindow, usual, firstMs }: { ownWindow: string; usual: string; firstMs: number },
): { fromSeconds: number; toSeconds: number } | null {
  if (name === rangeOfWindow(ownWindow)) return null
  const isYoung = name === usual && firstMs > fromMs
  const startMs = isYoung ? Math.min(firstMs, toMs - minRangeMs) : fromMs
  return { fromSeconds: startMs / 1000, toSeconds: toMs / 1000 }
}
