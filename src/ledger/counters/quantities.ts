/** The ways to name the counters of one selector in an expression. */
export type Selected = {
  now: string
  before(seconds: number): string
  over(seconds: number): string
  /** As `over`, without a sample at the very beginning, which closed ranges (Prometheus 2) have. */
  within(seconds: number): string
  /** The last sample of the `seconds` before a moment so long ago, whether or not the source saw the series end since. */
  last(seconds: number, agoSeconds: number): string
}

/** An expression over the counters of one selector, how their values are aggregated, and what is made of that. */
export type Quantity = {
  by: 'sum' | 'count' | 'min' | 'max'
  of(counters: Selected): string
  wrap?(aggregated: string): string
}

const minute = 60

/** Time for which Prometheus takes the last sample of a series for its value. */
export const usualLookbackSeconds = 300

/** Time for which a counter that was away is known, and brings what it has counted in between. */
const longestLookbackSeconds = 43_200

/** Events in the `seconds` before each point, as `increase` estimates them. */
export function increaseOver(seconds: number): Quantity {
  return { by: 'sum', of: ({ over }) => `increase(${over(seconds)})` }
}

/** The value of each counter so long ago; of scrapes with a longer interval than the usual lookback, by their own lookback. */
function valueOf({ now, before, last }: Selected, lookbackSeconds: number, agoSeconds: number): string {
  if (lookbackSeconds > usualLookbackSeconds) return last(lookbackSeconds, agoSeconds)
  return agoSeconds === 0 ? now : before(agoSeconds)
}

/** Events since the last sample a minute ago: nothing is estimated, and minutes add up to what was counted. */
export function gained(lookbackSeconds: number): Quantity {
  return {
    by: 'sum',
    of: (all) => `clamp_min(${valueOf(all, lookbackSeconds, 0)} - ${valueOf(all, lookbackSeconds, minute)}, 0)`,
  }
}

/** The part of what was counted in the `seconds` before each point that their first sample brought: `rate` does not see it. */
export function leadOf(seconds: number, lookbackSeconds: number): Quantity {
  return {
    by: 'sum',
    of: (all) => `clamp_min(min_over_time(${all.over(seconds)}) - ${valueOf(all, lookbackSeconds, seconds)}, 0)`,
  }
}

/**
 * Counters of which `gained` may not say all that a minute counted: they came, went or began again in it. A counter that fits was
 * there at both ends of the minute, and none of its samples was below the one before: where all do, the source answers nothing.
 */
export function broken(lookbackSeconds: number): Quantity {
  return {
    by: 'count',
    of: (all) => {
      const [now, before] = [valueOf(all, lookbackSeconds, 0), valueOf(all, lookbackSeconds, minute)]
      const resets = `resets(${all.over(minute)})`
      const hasFallen = `(min_over_time(${all.over(minute)}) < ${before})`
      return `(${resets} or ${before}) unless (${now} >= ${before} unless (${resets} > 0) unless ${hasFallen})`
    },
  }
}

/**
 * Events that the last sample of the `seconds` before each point brought, since the last sample before them, however long ago
 * within half a day: all of its value where it is the lower one. True where no more than one sample lies in these seconds.
 */
export function stepOf(seconds: number): Quantity {
  return { by: 'sum', of: ({ last }) => risen(last(seconds, 0), last(longestLookbackSeconds, seconds)) }
}

/**
 * The lead of a minute, as `stepOf` has it. The first sample of a counter that began again in the minute is looked for in the first
 * steps of so many seconds, with at most one sample in each.
 */
export function leadByStep(stepSeconds: number): Quantity {
  return {
    by: 'sum',
    of: ({ over, last }) => {
      const ends = Array.from({ length: stepsSearched }, (_, at) => minute - (at + 1) * stepSeconds)
      const searched = ends.filter((ago) => ago >= 0).map((ago) => last(stepSeconds, ago))
      const steady = `(min_over_time(${over(minute)}) unless (resets(${over(minute)}) > 0))`
      return risen(`(${[steady, ...searched].join(' or ')})`, last(longestLookbackSeconds, minute))
    },
  }
}

const stepsSearched = 4

/** The rise of each series that is in both; all of its value where it has fallen. */
function risen(value: string, before: string): string {
  return `(${value} - (${before} <= ${value})) or (${value} < ${before})`
}

/** Seconds with data in the `seconds` before each point, looked at every `stepSeconds`. */
export function coveredOver(seconds: number, stepSeconds: number, lookbackSeconds: number): Quantity {
  return {
    by: 'count',
    of: ({ last }) => last(lookbackSeconds, 0),
    wrap: (count) => `count_over_time((${count})[${seconds}s:${stepSeconds}s]) * ${stepSeconds}`,
  }
}

/**
 * Seconds from one sample to the next where they are at most some minutes: the time from the last sample `seconds` ago to the last
 * one now, over the samples in between, for the fewest seconds in which there was one; of the last 15 minutes the one in the middle, so that
 * gaps and jitter make no difference. To be asked at whole minutes.
 */
export function fineInterval(by: 'min' | 'max'): Quantity {
  return { by, of: fineIntervals }
}

/** Counters of the last three hours of which `fineInterval` says nothing. */
export const withoutFineInterval: Quantity = {
  by: 'count',
  of: (counters) => `last_over_time(${counters.over(10_800)}) unless ${fineIntervals(counters)}`,
}

/**
 * `fineInterval` of up to an hour, of twelve times in four hours: the least where the fewest seconds are asked for, for a time in which
 * a series was away makes others longer. To be asked at multiples of 240 s.
 */
export function coarseInterval(by: 'min' | 'max'): Quantity {
  const lastSample = ({ now }: Selected) => `max_over_time(timestamp(${now})[3840s:240s]`
  return {
    by,
    of: (counters) => {
      const chain = intervals([480, 1440, 4320], counters, (seconds) => {
        return `(${lastSample(counters)}) - ${lastSample(counters)} offset ${seconds}s) > 0)`
      })
      return `(quantile_over_time(${by === 'min' ? 0 : 0.5}, (${chain})[14400s:1200s]) or (${chain}))`
    },
  }
}

function fineIntervals(counters: Selected): string {
  const { now, before } = counters
  const chain = intervals(
    [2, 6, 18, 54, 162],
    counters,
    (seconds) => `(timestamp(${now}) - timestamp(${before(seconds)}))`,
  )
  return `quantile_over_time(0.5, (${chain})[900s:60s])`
}

function intervals(lengths: number[], { within }: Selected, elapsed: (seconds: number) => string): string {
  return lengths.map((seconds) => `${elapsed(seconds)} / count_over_time(${within(seconds)})`).join(' or ')
}
