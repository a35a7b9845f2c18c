import { families, type Family, familyOf, namesPattern } from './families.ts'
import { grouped, selectorOf } from './expressions.ts'
import type { BudgetedRunner } from './budgeted-runner.ts'
import { day } from '../../ledger/bucket.ts'

/**
 * A metric over which SLOs may be suggested. `series`: number of its series; a histogram has as many as it has `_count` series,
 * and its `name` is without `_bucket`.
 */
export type Metric = { name: string; family: Family; series: number }

const stepSeconds = day / 3
const maxNames = 200
const maxMetrics = 9 // three queries for all, at most three for each
const plainName = /^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/ // other names are written in quotes, which older sources do not read

/**
 * Metrics of the families that the source had at some time of the last day: standard ones first, then the others, those with
 * the most series first. Null if the source does not answer.
 */
export async function discoverMetrics(runner: BudgetedRunner, endSeconds: number): Promise<Metric[] | null> {
  const metrics = new Map<string, Metric>()
  for (const isStandard of [true, false]) {
    // A single bucket of a histogram is enough, and other metrics have no `le`.
    const selector = selectorOf('', [
      ['__name__', '=~', namesPattern(isStandard)],
      ['le', '=~', String.raw`|\+Inf`],
    ])
    const counted = `topk(${maxNames}, ${grouped('count', ['__name__'], selector)})`
    const groups = await runner.query(null, counted, { startSeconds: endSeconds - day, endSeconds, stepSeconds })
    if (groups === null && isStandard) return null
    for (const { labels, values } of groups ?? []) {
      const name = labels['__name__'] ?? ''
      const family = plainName.test(name) ? familyOf(name) : undefined
      if (!family || family.isStandard !== isStandard) continue
      const series = Math.max(0, ...values.values())
      metrics.set(name, { name: family.shape === 'histogram' ? name.replace(/_bucket$/, '') : name, family, series })
    }
  }
  const rank = ({ family }: Metric) => (family.isStandard ? families.indexOf(family) : families.length)
  return [...metrics.values()]
    .toSorted((a, b) => (rank(a) === rank(b) ? b.series - a.series : rank(a) - rank(b)))
    .slice(0, maxMetrics)
}

/** Sets `samplesPerDay` of the query runner: the samples of one series of the first metric, the series that has the most. */
export async function learnSamplesPerDay(
  runner: BudgetedRunner,
  [first]: readonly Metric[],
  endSeconds: number,
): Promise<void> {
  if (!first) return
  const counted = `max(count_over_time(${eventSeriesName(first)}[10m]))`
  const grid = { startSeconds: endSeconds, endSeconds, stepSeconds: day }
  const [group] = (await runner.query(first.name, counted, grid)) ?? []
  const samples = group?.values.get(endSeconds)
  if (samples !== undefined && samples > 0) runner.samplesPerDay = samples * (day / 600)
}

/** Name of the series that count the events of a metric, or are its values. */
export function eventSeriesName({ family, name }: Metric): string {
  return family.shape === 'histogram' ? `${name}_count` : name
}
