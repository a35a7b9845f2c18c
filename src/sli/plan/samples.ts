import type { SampledValue } from '../../promql/analysis/samples.ts'
import { edited } from '../../promql/print.ts'
import type { WrittenMatcher } from '../../promql/syntax.ts'

/**
 * Facts about the samples behind a selector. `shortestSeconds`, `longestSeconds`: the intervals between the samples of its
 * series; null while there are too few samples. `isClosed`: a range has the sample at its start too, as before Prometheus 3.
 */
export type Sampling = { shortestSeconds: number | null; longestSeconds: number | null; isClosed: boolean }

/** Expressions over the samples of one selector; the value of a sample is `constant + factor * sample`. */
export type SamplesPlan = Pick<SampledValue, 'constant' | 'factor'> & {
  selector: { metric: string; matchers: WrittenMatcher[]; text: string }
  /** The mean value of the samples of the last `seconds`, over all series. `isFiltered`: without those that are NaN. */
  mean(seconds: number, isFiltered: boolean): string
  /**
   * Sums over the last `seconds`, told apart by the label `sumLabel`: `total`, the seconds that the samples of each series
   * stand for, at most `seconds`, added up over the series; `good`, the same times the mean sample of the series.
   */
  coveredSums(seconds: number, sampling: Sampling, isFiltered: boolean): string
}

export const sumLabel = 'nines_sum'

/** What is right for samples every 30 seconds or more, while the interval is not known. */
const unknownStepSeconds = 15
const unknownIntervalSeconds = 60

const minuteSeconds = 60
const maxSteps = 100_000 // VictoriaMetrics refuses a subquery of more
const steps = [60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1]
const longRangeStep = 30 // a Prometheus 2 takes 50 s for five days at every 5 s

/**
 * Seconds between the moments at which a subquery looks for a new sample: at most the interval, and half of it where it is
 * longer, so that samples that come a little early or late do not share a moment.
 */
function stepOf(seconds: number, shortestSeconds: number | null): number {
  const maxStep =
    shortestSeconds === null ? unknownStepSeconds : Math.max(shortestSeconds / 2, Math.min(shortestSeconds, 5))
  const step = steps.find((one) => one <= maxStep) ?? 1
  return seconds <= minuteSeconds ? step : Math.max(step, longRangeStep, Math.ceil(seconds / maxSteps))
}

/** Plans the sums of a sampled value in `text`; `assessed` is 1 where its comparison holds, 0 where not; null without one. */
export function planSamples(
  text: string,
  { selector, leaf, constant, factor }: SampledValue,
  assessed: string | null,
): SamplesPlan {
  const name = text.slice(selector.from, selector.to)

  /** A range that ends before the moment at which the one before it began. */
  const openRange = (seconds: number) => `${seconds * 1000 - 1}ms`

  /** Each sample once, at the first step behind it: the lookback of the source would fill the others. */
  const atSteps = (seconds: number, value: string, shortestSeconds: number | null) => {
    const step = stepOf(seconds, shortestSeconds)
    return `((${value}) and (timestamp(${name}) > time() - ${step}))[${openRange(seconds)}:${step}s]`
  }
  const samplesOf = (
    seconds: number,
    isFiltered: boolean,
    { shortestSeconds, isClosed }: Omit<Sampling, 'longestSeconds'>,
  ) => {
    if (assessed !== null) return atSteps(seconds, assessed, shortestSeconds)
    if (isFiltered) return atSteps(seconds, `${name} < Inf`, shortestSeconds)
    return `${name}[${isClosed ? openRange(seconds) : `${seconds}s`}]`
  }
  const labelled = (sum: string, part: string) => `label_replace(${sum}, "${sumLabel}", "${part}", "", "")`

  return {
    selector: { metric: selector.metric, matchers: selector.matchers, text: name },
    constant,
    factor,
    mean(seconds, isFiltered) {
      const samples = samplesOf(seconds, isFiltered, { shortestSeconds: null, isClosed: true })
      const mean = `(sum(sum_over_time(${samples})) / sum(count_over_time(${samples})))`
      return assessed === null ? edited(text, [{ from: leaf.from, to: leaf.to, text: mean }]) : mean
    },
    coveredSums(seconds, sampling, isFiltered) {
      const { shortestSeconds } = sampling
      const isStepped = assessed !== null || isFiltered
      const rangeSeconds = Math.max(seconds, shortestSeconds ?? 0)
      const samples = samplesOf(rangeSeconds, isFiltered, sampling)
      const intervalSeconds = sampling.longestSeconds ?? unknownIntervalSeconds
      const eachSeconds = isStepped ? Math.max(intervalSeconds, stepOf(rangeSeconds, shortestSeconds)) : intervalSeconds
      const covered = `clamp_max(count_over_time(${samples}) * ${eachSeconds}, ${seconds})`
      const good = `sum(${covered} * avg_over_time(${samples}))`
      return `${labelled(good, 'good')} or ${labelled(`sum(${covered})`, 'total')}`
    },
  }
}
