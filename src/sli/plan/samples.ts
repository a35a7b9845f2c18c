import type { SampledValue } from '../../promql/analysis/samples.ts'
import { edited } from '../../promql/print.ts'
import type { WrittenMatcher } from '../../promql/syntax.ts'

/**
 * Facts about the samples of a selector. `shortestSeconds`, `longestSeconds`: the shortest and longest interval between the
 * samples of its series; null while there are too few samples. `isClosed`: a range includes the sample at its start, as before
 * Prometheus 3.
 */
export type Sampling = { shortestSeconds: number | null; longestSeconds: number | null; isClosed: boolean }

/** Expressions over the samples of one selector; the value of a sample is `constant + factor * sample`. */
export type SamplesPlan = Pick<SampledValue, 'constant' | 'factor'> & {
  selector: { metric: string; matchers: WrittenMatcher[]; text: string }
  /** Mean of the samples of the last `seconds`, over all series; not for a comparison. */
  mean(seconds: number): string
  /**
   * Two sums over the last `seconds`, distinguished by the label `sumLabel`. `total`: the seconds that the samples of each
   * series stand for, at most `seconds`, summed over the series. `good`: the same, times the mean sample of each series.
   * `dropsNaN`: samples that are NaN or infinite do not count, at the cost of a subquery.
   */
  coveredSums(seconds: number, sampling: Sampling, dropsNaN: boolean): string
}

export const sumLabel = 'nines_sum'

/** Assumptions while the interval is unknown; they are right for samples every 30 seconds or more. */
const unknownStepSeconds = 15
const unknownIntervalSeconds = 60

const minuteSeconds = 60
const steps = [60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1]

/**
 * Step in seconds at which a subquery looks for new samples. At most the interval, and half of it for intervals above 10
 * seconds, so that samples that come a little early or late do not fall into the same step.
 */
function stepOf(shortestSeconds: number | null): number {
  const maxStep =
    shortestSeconds === null ? unknownStepSeconds : Math.max(shortestSeconds / 2, Math.min(shortestSeconds, 5))
  return steps.find((one) => one <= maxStep) ?? 1
}

/** Part of an interval for which a sample is still the value after the next is due, because samples are a little late. */
const lateRatio = 0.02

/**
 * Plans the sums of a sampled value in `text`. `assessed`: gives for a selector the expression that is 1 where the comparison
 * holds and 0 where it does not; null without a comparison.
 */
export function planSamples(
  text: string,
  { selector, leaf, constant, factor }: SampledValue,
  assessed: ((selector: string) => string) | null,
): SamplesPlan {
  const name = text.slice(selector.from, selector.to)

  /** Range without the sample at its start, which belongs to the range before it. */
  const openRange = (seconds: number) => `${seconds * 1000 - 1}ms`

  /**
   * Subquery over the values of a bucket, and the seconds that each value stands for. In buckets of up to a minute each sample
   * is read once, at the first step after it: the lookback of the source would repeat it at the other steps. Longer buckets
   * read one value per minute, because Prometheus 2 takes a minute for the timestamps of 30 days. There, a sample is the value
   * for one interval, however long the lookback of the source is.
   */
  const valuesOf = (
    seconds: number,
    valueOf: (selector: string) => string,
    intervalSeconds: number,
    shortestSeconds: number | null,
  ) => {
    if (seconds > minuteSeconds) {
      const heldSeconds = Math.ceil((1 + lateRatio) * Math.max(intervalSeconds, minuteSeconds))
      const value = valueOf(`last_over_time(${name}[${openRange(heldSeconds)}])`)
      return { range: `(${value})[${openRange(seconds)}:${minuteSeconds}s]`, eachSeconds: minuteSeconds }
    }
    const step = stepOf(shortestSeconds)
    const isNew = `timestamp(${name}) > time() - ${step}`
    const range = `((${valueOf(name)}) and (${isNew}))[${openRange(Math.max(seconds, shortestSeconds ?? 0))}:${step}s]`
    return { range, eachSeconds: Math.max(intervalSeconds, step) }
  }
  const labelled = (sum: string, part: string) => `label_replace(${sum}, "${sumLabel}", "${part}", "", "")`

  return {
    selector: { metric: selector.metric, matchers: selector.matchers, text: name },
    constant,
    factor,
    mean(seconds) {
      const samples = `${name}[${openRange(seconds)}]`
      const mean = `(sum(sum_over_time(${samples})) / sum(count_over_time(${samples})))`
      return edited(text, [{ from: leaf.from, to: leaf.to, text: mean }])
    },
    coveredSums(seconds, sampling, dropsNaN) {
      const { shortestSeconds, longestSeconds, isClosed } = sampling
      const intervalSeconds = longestSeconds ?? unknownIntervalSeconds
      const valueOf = assessed ?? (dropsNaN ? (series: string) => `${series} < Inf` : null)
      const rangeSeconds = Math.max(seconds, shortestSeconds ?? 0)
      const { range, eachSeconds } =
        valueOf === null
          ? {
              range: `${name}[${isClosed ? openRange(rangeSeconds) : `${rangeSeconds}s`}]`,
              eachSeconds: intervalSeconds,
            }
          : valuesOf(seconds, valueOf, intervalSeconds, shortestSeconds)
      const covered = `clamp_max(count_over_time(${range}) * ${eachSeconds}, ${seconds})`
      const good = `sum(${covered} * avg_over_time(${range}))`
      return `${labelled(good, 'good')} or ${labelled(`sum(${covered})`, 'total')}`
    },
  }
}
