/** The ways to name the counters of one selector in an expression. */
export type Selected = {
  now: string
  before(seconds: number): string
  over(seconds: number): string
  /** The last value that was there a minute ago or up to half a day before that. */
  lastKnown: string
}

/** An expression over the counters of one selector, added up or counted, and what is made of the sum. */
export type Quantity = { by: 'sum' | 'count'; of(counters: Selected): string; wrap?(sum: string): string }

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
