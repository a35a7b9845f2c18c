import { grouped } from './expressions.ts'
import type { Group, Questions } from './questions.ts'

/** What many series gained in each day up to now, in groups; `days` are the ends of the days, oldest first (Unix seconds). */
export type Gained = { groups: Group[]; days: number[] }

/**
 * The past of a service. `daysPercent`: of each day, null where nothing was measured. `reachedPercent`: of all days, which are one window at
 * most. `knownDays`: days with data. `events`: of all days, null where time is measured.
 */
export type Past = {
  daysPercent: (number | null)[]
  reachedPercent: number | null
  knownDays: number
  events: number | null
}

const day = 86_400
export const pastDays = 30

/** Of each series; most are scraped more rarely. */
const samplesPerDay = day / 15

/** What a question may read sample by sample: some 0.1 s of a Prometheus. */
const maxSamples = 5_000_000

/** How many series are looked at how far back. */
const depths = [
  { maxSeries: 1000, days: pastDays },
  { maxSeries: 5000, days: 7 },
  { maxSeries: Infinity, days: 1 },
]

type Asked = {
  /** What is asked is named so where the source does not answer. */
  metric: string
  selector: string
  by: string[]
  /** About how many series the selector has. */
  series: number
  endSeconds: number
}

/** What counters gained day by day; null where the source does not say. Restarts of many series are counted from 0 on. */
export async function askGained(questions: Questions, asked: Asked): Promise<Gained | null> {
  const { days, isExact } = depthOf(asked.series)
  const gained = isExact ? `increase(${asked.selector}[1d])` : gainedBetween(asked.selector)
  return askDays(questions, asked, grouped('sum', asked.by, gained), days)
}

/** The share of time in which gauges were 1, day by day; null where the source does not say. */
export async function askShares(questions: Questions, asked: Asked): Promise<Gained | null> {
  const days = Math.min(pastDays, Math.max(1, Math.floor(maxSamples / samplesPerDay / asked.series)))
  return askDays(questions, asked, grouped('avg', asked.by, `avg_over_time(${asked.selector}[1d])`), days)
}

/** What counters gained in the last day, in groups; the largest of them. Null where the source does not say. */
export async function askTraffic(questions: Questions, asked: Asked): Promise<Group[] | null> {
  const { metric, selector, by, series, endSeconds } = asked
  const isExact = series * samplesPerDay <= maxSamples
  const gained = isExact
    ? `increase(${selector}[1d])`
    : `${selector} - (${selector} offset 6h or ${selector} offset 30m) >= 0`
  const startSeconds = isExact ? endSeconds : endSeconds - (day * 3) / 4
  return questions.ask(metric, `topk(${maxGroups}, ${grouped('sum', by, gained)})`, {
    startSeconds,
    endSeconds,
    stepSeconds: day / 4,
  })
}

const maxGroups = 1000

function depthOf(series: number): { days: number; isExact: boolean } {
  const days = depths.find(({ maxSeries }) => series <= maxSeries)?.days ?? 1
  return { days, isExact: series * days * samplesPerDay <= maxSamples }
}

/** What a counter has more than a day ago; of one that began in between, or again, what it has. Reads two samples of each. */
function gainedBetween(selector: string): string {
  return `${selector} - ${selector} offset 1d >= 0 or ${selector}`
}

async function askDays(
  questions: Questions,
  { metric, endSeconds }: Asked,
  expression: string,
  count: number,
): Promise<Gained | null> {
  const days = Array.from({ length: count }, (_, at) => endSeconds - (count - 1 - at) * day)
  const grid = { startSeconds: days[0] ?? endSeconds, endSeconds, stepSeconds: day }
  const groups = await questions.ask(metric, expression, grid)
  return groups && { groups, days }
}

/** The past of what was good of all on each day; null for a day without data. */
export function pastOf(days: readonly ({ good: number; total: number } | null)[], countsEvents: boolean): Past {
  const known = days.filter((one) => one !== null)
  const total = known.reduce((sum, one) => sum + one.total, 0)
  const good = known.reduce((sum, one) => sum + one.good, 0)
  return {
    daysPercent: days.map((one) => (one && one.total > 0 ? shareOf(one.good, one.total) : null)),
    reachedPercent: total > 0 ? shareOf(good, total) : null,
    knownDays: known.length,
    events: countsEvents ? total : null,
  }
}

const shareOf = (good: number, total: number) => 100 * Math.min(1, Math.max(0, good / total))
