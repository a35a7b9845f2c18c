import { minute } from '../bucket.ts'

/** Aggregation of the counters of one selector into one value for each member of their family. */
export type Aggregation = 'sum' | 'count' | 'min' | 'max'

/** Ways to write the counters of one selector in an expression. */
type SelectorForms = {
  aggregate(by: Aggregation, expression: string): string
  /** Value at the time of evaluation. */
  now: string
  /** Value so many seconds earlier. */
  before(seconds: number): string
  /** Samples of the last `seconds`. */
  over(seconds: number): string
  /** Like `over`, but without a sample at the very start, which closed ranges (Prometheus 2) include. */
  within(seconds: number): string
  /** Last sample in the `seconds` that end `agoSeconds` ago, even if the source marked the series as stale since. */
  last(seconds: number, agoSeconds: number): string
}

/** Expression over the counters of one selector, aggregated. */
export type Quantity = (counters: SelectorForms) => string

/** Prometheus' default lookback: time for which the last sample of a series is its value. */
export const defaultLookbackSeconds = 300

/** Time over which the median of the sample intervals is taken. */
export const defaultFineSeconds = 900

/** Longest absence of a series, in seconds, whose increase is counted after its return, if other series of its counter were present. */
export const maxGapSeconds = 43_200
/** The same for an absence of all series of the counter; longer, because there are few samples to read in it. */
export const maxCommonGapSeconds = 259_200
/**
 * `returnSeconds`: time within which all series of a counter return from a common absence. `awaySeconds`: before that return, all of them
 * were absent at least so long if the absence is above `maxGapSeconds`.
 */
const [returnSeconds, awaySeconds] = [600, maxGapSeconds / 2]

/** Events in the `seconds` before each point, as `increase` estimates them. */
export function increaseOver(seconds: number): Quantity {
  return ({ aggregate, over }) => aggregate('sum', `increase(${over(seconds)})`)
}

/**
 * Events between the first and the last sample in the `seconds` before each point, without extrapolation. Those of a counter that
 * was reset are as `increase` estimates them.
 */
export function riseOver(seconds: number): Quantity {
  return ({ aggregate, over }) => {
    const range = over(seconds)
    const rise = `(max_over_time(${range}) - min_over_time(${range}))`
    return aggregate('sum', `${rise} unless (resets(${range}) > 0) or increase(${range})`)
  }
}

/** Value of each counter `agoSeconds` ago. A lookback above the usual one, for slow scrapes, is written into the expression. */
function valueOf({ now, before, last }: SelectorForms, lookbackSeconds: number, agoSeconds: number): string {
  if (lookbackSeconds > defaultLookbackSeconds) return last(lookbackSeconds, agoSeconds)
  return agoSeconds === 0 ? now : before(agoSeconds)
}

/** Events since the last sample of a minute ago: nothing is extrapolated, and minutes add up to what was counted. */
export function gainQuantity(lookbackSeconds: number): Quantity {
  return (counters) => {
    const [now, before] = [valueOf(counters, lookbackSeconds, 0), valueOf(counters, lookbackSeconds, minute)]
    return counters.aggregate('sum', `clamp_min(${now} - ${before}, 0)`)
  }
}

/** Events since each counter began. */
export function levelQuantity(lookbackSeconds: number): Quantity {
  return (counters) => counters.aggregate('sum', valueOf(counters, lookbackSeconds, 0))
}

/**
 * Part of the events in the `seconds` before each point that the first sample in these seconds added; `rate` does not include it.
 */
export function leadQuantity(seconds: number, lookbackSeconds: number): Quantity {
  return (counters) => {
    const before = valueOf(counters, lookbackSeconds, seconds)
    return counters.aggregate('sum', `clamp_min(min_over_time(${counters.over(seconds)}) - ${before}, 0)`)
  }
}

/**
 * Counters whose events `gainQuantity` may not count completely, because they appeared, disappeared or were reset in the minute. A
 * counter is left out if it has a value at both ends of the minute and none of its samples was below the one before. If all are
 * like that, the source answers nothing.
 */
export function breakQuantity(lookbackSeconds: number): Quantity {
  return (counters) => {
    const [now, before] = [valueOf(counters, lookbackSeconds, 0), valueOf(counters, lookbackSeconds, minute)]
    const resets = `resets(${counters.over(minute)})`
    const hasFallen = `(min_over_time(${counters.over(minute)}) < ${before})`
    const steady = `(${now} >= ${before} unless (${resets} > 0) unless ${hasFallen})`
    return counters.aggregate('count', `(${resets} or ${before}) unless ${steady}`)
  }
}

/**
 * Members of the family that may have a counter as in `breakQuantity`, at a fraction of its cost: no counters are matched with
 * one another. A member is left out if as many counters have a value at the minute's begin, at its end, and a sample in the
 * minute or in the lookback before it, and none of them was reset in that time: then they are the same counters.
 */
export function possibleBreakQuantity(lookbackSeconds: number): Quantity {
  return (counters) => {
    const counted = (agoSeconds: number) => counters.aggregate('count', valueOf(counters, lookbackSeconds, agoSeconds))
    const seen = counters.aggregate('sum', `resets(${counters.over(minute + lookbackSeconds)}) + 1`)
    return `${seen} unless (${counted(0)} == ${counted(minute)} == ${seen})`
  }
}

/** Number of series that were there ten minutes or six hours ago; no value: all may have come back after more than `maxGapSeconds`. */
export function countBeforeReturn({ aggregate, before }: SelectorForms): string {
  return aggregate('count', `${before(returnSeconds)} or ${before(awaySeconds)}`)
}

/**
 * Events of the `seconds` before each point: from the last sample before them, at most `gapSeconds` older, to the last one in them;
 * of a counter that began in them, from its first sample on. After a reset, the whole value of the later sample. Exact if at most
 * one sample lies in these seconds, or if the counter was not reset.
 */
export function stepOf(seconds: number, gapSeconds: number): Quantity {
  return ({ aggregate, within, last }) => {
    const value = last(seconds, 0)
    const sinceFirst = `(${value} - min_over_time(${within(seconds)}) > 0)`
    return aggregate('sum', `${risen(value, last(gapSeconds, seconds))} or ${sinceFirst}`)
  }
}

/**
 * Lead of a minute, computed like `stepOf`. The first sample of a counter that was reset in the minute is searched in the first
 * steps of `stepSeconds`, with at most one sample in each.
 */
export function leadByStep(stepSeconds: number, gapSeconds: number): Quantity {
  return ({ aggregate, over, last }) => {
    const ends = Array.from({ length: stepsSearched }, (_, at) => minute - (at + 1) * stepSeconds)
    const searched = ends.filter((ago) => ago >= 0).map((ago) => last(stepSeconds, ago))
    const steady = `(min_over_time(${over(minute)}) unless (resets(${over(minute)}) > 0))`
    return aggregate('sum', risen(`(${[steady, ...searched].join(' or ')})`, last(gapSeconds, minute)))
  }
}

const stepsSearched = 4

/** Increase of each series that is in both; its whole value if it has fallen. */
function risen(value: string, before: string): string {
  return `(${value} - (${before} <= ${value})) or (${value} < ${before})`
}

/** Seconds with data in the `seconds` before each point, checked every `stepSeconds`. */
export function coveredOver(seconds: number, stepSeconds: number, lookbackSeconds: number): Quantity {
  return ({ aggregate, last }) =>
    `count_over_time((${aggregate('count', last(lookbackSeconds, 0))})[${seconds}s:${stepSeconds}s]) * ${stepSeconds}`
}

/**
 * Sample interval in seconds, if it is at most some minutes: the time from the last sample `seconds` ago to the last one now,
 * divided by the samples in between, for the shortest length that has a sample. It is the median of the last `fineSeconds`, so
 * that gaps and jitter do not matter. To be evaluated at whole minutes.
 */
export function fineInterval(by: 'min' | 'max', fineSeconds = defaultFineSeconds): Quantity {
  return (counters) => counters.aggregate(by, fineIntervals(counters, fineSeconds))
}

/** Samples in `seconds` of the hour before each point: the median, without the parts of the hour that have none. */
export function typicalCount(by: Aggregation, seconds: number): Quantity {
  return ({ aggregate, within }) =>
    aggregate(by, `quantile_over_time(0.5, count_over_time(${within(seconds)})[3599999ms:${seconds}s])`)
}

/** Samples in the hour before each point. */
export function hourlyCount(by: Aggregation): Quantity {
  return ({ aggregate, within }) => aggregate(by, `count_over_time(${within(3600)})`)
}

/** Counters with samples in the last three hours for which `fineInterval` has no value. */
export function withoutFineInterval(fineSeconds = defaultFineSeconds): Quantity {
  return (counters) =>
    counters.aggregate(
      'count',
      `last_over_time(${counters.over(10_800)}) unless ${fineIntervals(counters, fineSeconds)}`,
    )
}

/**
 * Sample interval of up to an hour, from twelve times in four hours: the shortest for `min`, because an absence of a series
 * makes others longer, and the median for `max`. To be evaluated at multiples of 240 s.
 */
export function coarseInterval(by: 'min' | 'max'): Quantity {
  // not closed here: the parenthesis follows, or an offset and the parenthesis
  const lastSample = ({ now }: SelectorForms) => `max_over_time(timestamp(${now})[3840s:240s]`
  return (counters) => {
    const chain = intervals([480, 1440, 4320], counters, (seconds) => {
      return `(${lastSample(counters)}) - ${lastSample(counters)} offset ${seconds}s) > 0)`
    })
    return counters.aggregate(
      by,
      `quantile_over_time(${by === 'min' ? 0 : 0.5}, (${chain})[14400s:1200s]) or (${chain})`,
    )
  }
}

function fineIntervals(counters: SelectorForms, fineSeconds: number): string {
  const { now, before } = counters
  const chain = intervals(
    [2, 6, 18, 54, 162],
    counters,
    (seconds) => `(timestamp(${now}) - timestamp(${before(seconds)}))`,
  )
  return `quantile_over_time(0.5, (${chain})[${fineSeconds}s:60s])`
}

function intervals(lengths: number[], { within }: SelectorForms, elapsed: (seconds: number) => string): string {
  return lengths.map((seconds) => `${elapsed(seconds)} / count_over_time(${within(seconds)})`).join(' or ')
}
