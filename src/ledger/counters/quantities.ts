/** The ways to name the counters of one selector in an expression. */
export type Selected = {
  now: string
  before(seconds: number): string
  over(seconds: number): string
  /** As `over`, without a sample at the very beginning, which closed ranges (Prometheus 2) have. */
  within(seconds: number): string
  /** The last value that was there a minute ago or up to half a day before that. */
  lastKnown: string
}

/** An expression over the counters of one selector, how their values are aggregated, and what is made of that. */
export type Quantity = {
  by: 'sum' | 'count' | 'min' | 'max'
  of(counters: Selected): string
  wrap?(sum: string): string
}

const minute = 60

/** Events in the `seconds` before each point, as `increase` estimates them. */
export function increaseOver(seconds: number): Quantity {
  return { by: 'sum', of: ({ over }) => `increase(${over(seconds)})` }
}

/** Events since the last sample a minute ago: nothing is estimated, and minutes add up to what was counted. */
export const gained: Quantity = {
  by: 'sum',
  of: ({ now, before }) => `clamp_min(${now} - ${before(minute)}, 0)`,
}

/** The part of what was counted in the `seconds` before each point that their first sample brought: `rate` does not see it. */
export function leadOf(seconds: number): Quantity {
  return { by: 'sum', of: ({ over, before }) => `clamp_min(min_over_time(${over(seconds)}) - ${before(seconds)}, 0)` }
}

/** `gained`, also of counters that were away: they bring what they counted in between. */
export const gainedAcross: Quantity = { by: 'sum', of: ({ now, lastKnown }) => `clamp_min(${now} - ${lastKnown}, 0)` }

/** `leadOf` a minute, also of counters that were away. */
export const leadAcross: Quantity = {
  by: 'sum',
  of: ({ over, lastKnown }) => `clamp_min(min_over_time(${over(minute)}) - ${lastKnown}, 0)`,
}

/** What counters that have begun again have counted since, as `increase` adds it. */
export const countedSinceReset: Quantity = { by: 'sum', of: ({ now, before }) => `${now} < ${before(minute)}` }

/**
 * Counters that came, went or began again within a minute. A series that fits is in `now` and a minute `before`, and has not
 * fallen: where all do, the source answers nothing.
 */
export const broken: Quantity = {
  by: 'count',
  of: ({ now, before }) => `(${now} or ${before(minute)}) unless (${now} >= ${before(minute)})`,
}

/** Seconds with data in the `seconds` before each point, looked at every `stepSeconds`. */
export function coveredOver(seconds: number, stepSeconds: number): Quantity {
  return {
    by: 'sum',
    of: ({ over }) => `rate(${over(300)})`,
    wrap: (sum) => `count_over_time((${sum})[${seconds}s:${stepSeconds}s]) * ${stepSeconds}`,
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

/** `fineInterval` of up to an hour, of twelve times in four hours. To be asked at multiples of 240 s. */
export function coarseInterval(by: 'min' | 'max'): Quantity {
  const lastSample = ({ now }: Selected) => `max_over_time(timestamp(${now})[3840s:240s]`
  return {
    by,
    of: (counters) => {
      const chain = intervals([480, 1440, 4320], counters, (seconds) => {
        return `(${lastSample(counters)}) - ${lastSample(counters)} offset ${seconds}s))`
      })
      return `(quantile_over_time(0.5, (${chain})[14400s:1200s]) or (${chain}))`
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
