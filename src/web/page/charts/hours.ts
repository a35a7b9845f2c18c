import type { Budget, SeriesPoint } from '../api/types.ts'
import { formatCost, formatCount, formatDuration, formatMoment, formatPercent } from '../format.ts'
import { minOverPercent } from '../../../slos/arithmetic/share.ts'
import { dayNumber, wallTime } from '../zone.ts'

const hourMs = 3_600_000

/** Limits of the colour steps: the failed share of an hour as a multiple of the share that the target allows. */
const bounds = [1, 2, 5, 10, 50]

/** Failures allowed in the window: events, or seconds if the SLO counts time. */
export type Allowed = { bad: number; isTime: boolean }

/** Failures that the error budget allows in the window; null: not known. */
export function allowedOf(budget: Pick<Budget, 'events' | 'minutes'> | undefined): Allowed | null {
  if (budget?.events) return { bad: budget.events.allowed_bad, isTime: false }
  return budget?.minutes ? { bad: budget.minutes.allowed * 60, isTime: true } : null
}

/** Groups points by day and hour in the reader's zone: 24 for each day, null for an hour without a point. */
export function dayColumns(points: readonly SeriesPoint[]): (SeriesPoint | null)[][] {
  const days = Map.groupBy(points, ({ timestamp }) => dayNumber(Date.parse(timestamp)))
  return [...days.values()].map((ofDay) => {
    const hours: (SeriesPoint | null)[] = Array.from({ length: 24 }, () => null)
    for (const point of ofDay) hours[wallTime(Date.parse(point.timestamp)).getUTCHours()] = point
    return hours
  })
}

/** Failed events of a point, or failed seconds; null if the counts are unknown. */
export function failedOf({ good, total }: Pick<SeriesPoint, 'good' | 'total'>): number | null {
  return good === null || total === null ? null : Math.max(0, total - good)
}

/** Share of the window's error budget that a point used, in percent; null if unknown. */
export function budgetShareOf(point: Pick<SeriesPoint, 'good' | 'total'>, allowed: Allowed | null): number | null {
  const failed = failedOf(point)
  return failed === null || allowed === null || allowed.bad <= 0 ? null : (100 * failed) / allowed.bad
}

/**
 * Colour step of an hour: `-none` without data, 0 within the target, up to 5 above fifty times the allowed share; null
 * without a point.
 */
export function heatOf(point: Pick<SeriesPoint, 'sli'> | null, targetPercent: number): number | '-none' | null {
  if (point === null) return null
  if (point.sli === null) return '-none'
  const multiple = (100 - point.sli) / (100 - targetPercent || 1e-9) // a target of 100 % allows almost nothing
  return multiple <= 0 ? 0 : bounds.filter((bound) => multiple > bound).length
}

/** Text for an hour: the time, the failed share with its counts, and its share of the budget. */
export function sentenceOf(point: SeriesPoint | null, allowed: Allowed | null, nowMs: number): string {
  if (point === null) return 'This hour is not part of the range.'
  const from = Date.parse(point.timestamp)
  const span = `${formatMoment(from, nowMs)} to ${formatMoment(from + hourMs, nowMs)}`
  if (point.sli === null) return `${span} · no data`
  const failed = failedOf(point)
  const amount = allowed?.isTime ? formatDuration : formatCount
  const counts = failed === null || point.total === null ? [] : [`${amount(failed)} of ${amount(point.total)}`]
  const share = budgetShareOf(point, allowed)
  const used = share === null ? [] : [budgetWords(share)]
  return [span, `${formatPercent(100 - point.sli, 3)} failed`, ...counts, ...used].join(' · ')
}

function budgetWords(percent: number): string {
  const cost = formatCost(percent)
  return percent < minOverPercent ? `${cost} of the budget` : `${cost} the budget`
}

/** The hour in which most failed, as a share in percent. */
export function worstHourSentence(startMs: number, failedPercent: number, nowMs: number): string {
  return `The worst hour was ${formatMoment(startMs, nowMs)} with ${formatPercent(failedPercent, 2)} failed.`
}
