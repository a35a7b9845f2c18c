import { stopwatch } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { type Grid, type RangeSeries, sampleNumber, type Source } from '../../sources/source.ts'
import type { Labels } from '../../promql/labels.ts'

/** Something that could not be found out about a metric, or about all (null), and why. */
export type Gap = { metric: string | null; message: string }

/** A group of series, and its value at each time (Unix seconds). */
export type Group = { labels: Labels; values: Map<number, number> }

/** Queries to a source, one after the other, with a shared timeout. An error of one is a gap, and the others are still sent. */
export type BudgetedRunner = {
  gaps: Gap[]
  queryCount: number
  /** Error of the last query that failed; null: none did. */
  failure: AppError | null
  /** Number of samples of a series in a day. */
  samplesPerDay: number
  /** Takes the samples of `seriesDays`, series times days, off those that all queries together may read; false if too few are left. */
  takeSamples(seriesDays: number): boolean
  /** Sends a query; null if it was not answered, or too little time or too few queries are left. */
  query(metric: string | null, expression: string, grid: Grid): Promise<Group[] | null>
}

export const maxQueries = 30
const maxQueryMs = 5000
const maxTotalMs = 15_000
const maxSamples = 12_000_000 // about 0.6 s of a Prometheus
const usualSamplesPerDay = 5760 // one every 15 seconds

/** `timeoutMs`: of one query to this source. */
export function createBudgetedRunner(source: Source, timeoutMs: number): BudgetedRunner {
  const beganMs = stopwatch.now()
  let samplesLeft = maxSamples
  const runner: BudgetedRunner = {
    gaps: [],
    queryCount: 0,
    failure: null,
    samplesPerDay: usualSamplesPerDay,
    takeSamples(seriesDays) {
      const samples = seriesDays * runner.samplesPerDay
      if (samples > samplesLeft) return false
      samplesLeft -= samples
      return true
    },
    query,
  }

  async function query(metric: string | null, expression: string, grid: Grid): Promise<Group[] | null> {
    const leftMs = maxTotalMs - (stopwatch.now() - beganMs)
    if (leftMs <= 0 || runner.queryCount >= maxQueries) {
      runner.gaps.push({ metric, message: 'There was no time left to ask for it.' })
      return null
    }
    runner.queryCount += 1
    try {
      const { data, isPartial } = await source.range(expression, grid, {
        timeoutMs: Math.min(timeoutMs, maxQueryMs, leftMs),
      })
      if (isPartial) runner.gaps.push({ metric, message: 'The source answered with a part of its data only.' })
      return data.map(groupOf)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      runner.failure = error
      runner.gaps.push({ metric, message: [error.message, error.details].filter(Boolean).join(': ') })
      return null
    }
  }

  return runner
}

function groupOf({ metric, values }: RangeSeries): Group {
  const finite = values.map(([time, value]) => [Math.round(time), sampleNumber(value)] as const)
  return { labels: metric, values: new Map(finite.filter(([, value]) => Number.isFinite(value))) }
}
