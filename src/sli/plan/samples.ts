import type { SampledValue } from '../../promql/analysis/samples.ts'
import { edited } from '../../promql/print.ts'
import type { WrittenMatcher } from '../../promql/syntax.ts'

/**
 * Properties of the samples of a selector. `shortestSeconds`, `longestSeconds`: the shortest and longest interval between the
 * samples of its series; null while there are too few samples. `isClosed`: a range includes the sample at its start, as before
 * Prometheus 3.
 */
export type Sampling = { shortestSeconds: number | null; longestSeconds: number | null; isClosed: boolean }

/** Expressions over the samples of one selector; the value of a sample is `constant + factor * sample`. */
export type SamplesPlan = Pick<SampledValue, 'constant' | 'factor'> & {
  selector: { metric: string; matchers: WrittenMatcher[]; text: string }
  /** Mean of the samples of the last `seconds`, over all series; not for a query that is compared sample by sample. */
  mean(seconds: number): string
  /**
   * Two sums over the last `seconds`, distinguished by the label `sumLabel`. `total`: the seconds that the samples of each
   * series stand for, at most `seconds`, summed over the series. `good`: the same, times the mean sample of each series.
   * `dropsNaN`: samples that are NaN or infinite do not count, at the cost of a subquery.
   */
  coveredSums(seconds: number, sampling: Sampling, dropsNaN: boolean): string
  /** Step in seconds of the subqueries in `coveredSums`. */
  subqueryStep(seconds: number, sampling: Sampling): number
}

export const sumLabel = 'nines_sum'

/** Comparisons that drop the NaN and infinite values of an instant vector. */
export const finiteFilter = '< Inf > -Inf'

/** Step while the interval is unknown; right for samples every 30 seconds, or rarer. */
const unknownStepSeconds = 15
/** Interval while it is unknown; right for samples every 60 seconds, or more often. Of rarer samples, each covers only this long. */
const unknownIntervalSeconds = 60

const minuteSeconds = 60
const steps = [60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1]
const minStepSeconds = 0.5

/**
 * Step in seconds of a subquery over a bucket. In buckets of up to a minute it is at most half of the shortest interval, so that a
 * sample that is early or late does not fall into the step of another.
 */
function subqueryStep(bucketSeconds: number, shortestSeconds: number | null): number {
  if (bucketSeconds > minuteSeconds) return minuteSeconds
  const maxStep = shortestSeconds === null ? unknownStepSeconds : shortestSeconds / 2
  return steps.find((one) => one <= maxStep) ?? minStepSeconds
}

const durationText = (seconds: number) => (Number.isInteger(seconds) ? `${seconds}s` : `${seconds * 1000}ms`)

/** Part of an interval for which a sample is still the value after the next is due, because samples are a little late. */
const lateRatio = 0.02

/**
 * Plans the sums of a sampled value in `text`. `assessed`: gives for a selector the expression that is 1 for each sample for which
 * the comparison in the query, or with the threshold, holds, and 0 for the others; null without a comparison.
 */
export function planSamples(
  text: string,
  { selector, leaf, constant, factor }: SampledValue,
  assessed: ((selector: string) => string) | null,
): SamplesPlan {
  const selectorText = text.slice(selector.from, selector.to)

  /** Range without the sample at its start, which belongs to the range before it. */
  const openRange = (seconds: number) => `${seconds * 1000 - 1}ms`
  const rangeOf = (seconds: number, isClosed: boolean) => (isClosed ? openRange(seconds) : durationText(seconds))

  /**
   * Subquery over the values of a bucket, and the seconds that each value stands for. In buckets of up to a minute each sample
   * is read once, at the first step at or after it. Longer buckets read one value per minute. There, a sample is the value for
   * one interval, however long the lookback of the source is.
   */
  const valuesOf = (
    seconds: number,
    valueOf: (selector: string) => string,
    intervalSeconds: number,
    { shortestSeconds, isClosed }: Sampling,
  ) => {
    const stepSeconds = subqueryStep(seconds, shortestSeconds)
    const isLong = seconds > minuteSeconds
    const heldSeconds = Math.ceil((1 + lateRatio) * Math.max(intervalSeconds, minuteSeconds))
    const value = valueOf(
      `last_over_time(${selectorText}[${isLong ? openRange(heldSeconds) : rangeOf(stepSeconds, isClosed)}])`,
    )
    const range = openRange(Math.max(seconds, shortestSeconds ?? 0))
    return {
      range: `(${value})[${range}:${durationText(stepSeconds)}]`,
      eachSeconds: isLong ? minuteSeconds : intervalSeconds,
    }
  }
  const labelled = (sum: string, part: string) => `label_replace(${sum}, "${sumLabel}", "${part}", "", "")`

  return {
    selector: { metric: selector.metric, matchers: selector.matchers, text: selectorText },
    constant,
    factor,
    mean(seconds) {
      const samples = `${selectorText}[${openRange(seconds)}]`
      const mean = `(sum(sum_over_time(${samples})) / sum(count_over_time(${samples})))`
      return edited(text, [{ from: leaf.from, to: leaf.to, text: mean }])
    },
    subqueryStep: (seconds, { shortestSeconds }) => subqueryStep(seconds, shortestSeconds),
    coveredSums(seconds, sampling, dropsNaN) {
      const { shortestSeconds, longestSeconds, isClosed } = sampling
      const intervalSeconds = longestSeconds ?? unknownIntervalSeconds
      const valueOf = assessed ?? (dropsNaN ? (series: string) => `${series} ${finiteFilter}` : null)
      const rangeSeconds = Math.max(seconds, shortestSeconds ?? 0)
      const { range, eachSeconds } =
        valueOf === null
          ? {
              range: `${selectorText}[${rangeOf(rangeSeconds, isClosed)}]`,
              eachSeconds: intervalSeconds,
            }
          : valuesOf(seconds, valueOf, intervalSeconds, sampling)
      const covered = `clamp_max(count_over_time(${range}) * ${eachSeconds}, ${seconds})`
      const good = `sum(${covered} * avg_over_time(${range}))`
      return `${labelled(good, 'good')} or ${labelled(`sum(${covered})`, 'total')}`
    },
  }
}
