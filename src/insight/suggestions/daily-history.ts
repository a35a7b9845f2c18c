import { grouped } from './expressions.ts'
import type { Group, BudgetedRunner } from './budgeted-runner.ts'
import { day } from '../../ledger/bucket.ts'

/**
 * Increase of many series on each day up to now, in groups; for gauges their mean. `days`: ends of the days, oldest first (Unix
 * seconds). `isEstimate`: the series were not read sample by sample, so increases before counter resets are missing.
 */
export type DailySums = { groups: Group[]; days: number[]; isEstimate: boolean }

/**
 * History of a service. `daysPercent`: SLI of each day, null if nothing was measured. `sliPercent`: SLI of all days, which
 * are at most one window. `knownDays`: days with data. `events`: of all days, null if time is measured. `isEstimate`: see
 * `DailySums`.
 */
export type ServiceHistory = {
  daysPercent: (number | null)[]
  sliPercent: number | null
  knownDays: number
  events: number | null
  isEstimate: boolean
}

export const pastDays = 30

/** Maximum number of samples that one query may read of all its series in a day: about 0.05 s of a Prometheus. */
const maxTrafficSamples = 1_000_000

/** Days to look back by number of series, if only two samples a day are read of each. */
const depths = [
  { maxSeries: 1000, days: pastDays },
  { maxSeries: 5000, days: 7 },
  { maxSeries: Infinity, days: 1 },
]

type HistoryRequest = {
  /** Metric that is reported as missing if the source does not answer. */
  metric: string
  selector: string
  by: string[]
  /** Approximate number of series that the selector has. */
  series: number
  endSeconds: number
}

/**
 * Queries the increase of counters on each day; null if the source does not answer. If there are too many samples, an estimate
 * of fewer days.
 */
export async function queryIncrease(runner: BudgetedRunner, request: HistoryRequest): Promise<DailySums | null> {
  const { series, selector, by } = request
  if (runner.takeSamples(series * pastDays)) {
    return queryDays(runner, request, grouped('sum', by, `increase(${selector}[1d])`), pastDays)
  }
  const days = depths.find(({ maxSeries }) => series <= maxSeries)?.days ?? 1
  const gained = await queryDays(runner, request, grouped('sum', by, dailyIncrease(selector)), days)
  return gained && { ...gained, isEstimate: true }
}

/**
 * Queries the share of time in which gauges were 1, over as many days as samples allow, at least one; null if the source does
 * not answer.
 */
export async function queryShares(runner: BudgetedRunner, request: HistoryRequest): Promise<DailySums | null> {
  const { series, selector, by } = request
  const days = [pastDays, pastDays / 2, 7, 3].find((some) => runner.takeSamples(series * some)) ?? 1
  return queryDays(runner, request, grouped('avg', by, `avg_over_time(${selector}[1d])`), days)
}

/**
 * Queries the increase of counters in the last day, in groups, of which the largest are returned; null if the source does not
 * answer. If there are too many samples, an estimate in two halves of the day.
 */
export async function queryTraffic(runner: BudgetedRunner, request: HistoryRequest): Promise<Group[] | null> {
  const { metric, selector, by, series, endSeconds } = request
  const isExact = series * runner.samplesPerDay <= maxTrafficSamples && runner.takeSamples(series)
  const gained = isExact
    ? `increase(${selector}[1d])`
    : `${selector} - (${selector} offset 12h or ${selector} offset 30m) >= 0`
  const startSeconds = isExact ? endSeconds : endSeconds - day / 2
  return runner.query(metric, `topk(${maxGroups}, ${grouped('sum', by, gained)})`, {
    startSeconds,
    endSeconds,
    stepSeconds: day / 2,
  })
}

const maxGroups = 1000

/** Expression for a counter's increase since a day ago; its value if it appeared or was reset since. Reads two samples. */
function dailyIncrease(selector: string): string {
  return `${selector} - ${selector} offset 1d >= 0 or ${selector}`
}

async function queryDays(
  runner: BudgetedRunner,
  { metric, endSeconds }: HistoryRequest,
  expression: string,
  count: number,
): Promise<DailySums | null> {
  const days = Array.from({ length: count }, (_, at) => endSeconds - (count - 1 - at) * day)
  const grid = { startSeconds: days[0] ?? endSeconds, endSeconds, stepSeconds: day }
  const groups = await runner.query(metric, expression, grid)
  return groups && { groups, days, isEstimate: false }
}

/** Good and total of a day; null: nothing was measured. */
export type Day = { good: number; total: number } | null

/** Sums up the days of a service; `countsEvents` false: they are shares of time. */
export function historyOf(
  days: readonly Day[],
  { countsEvents, isEstimate }: { countsEvents: boolean; isEstimate: boolean },
): ServiceHistory {
  const knownDays = days.filter((one) => one !== null)
  const total = knownDays.reduce((sum, one) => sum + one.total, 0)
  const good = knownDays.reduce((sum, one) => sum + one.good, 0)
  return {
    daysPercent: days.map((one) => (one && one.total > 0 ? shareOf(one.good, one.total) : null)),
    sliPercent: total > 0 ? shareOf(good, total) : null,
    knownDays: knownDays.length,
    events: countsEvents ? total : null,
    isEstimate,
  }
}

const shareOf = (good: number, total: number) => 100 * Math.min(1, Math.max(0, good / total))
