import type { Counters } from './analytics-store.ts'

/** Hits, misses and dropped rows of each organization. */
export type Tally = {
  of(organizationId: number): Readonly<Counters>
  count(organizationId: number, what: 'hits' | 'misses' | 'dropped'): void
}

/** Tells of each change; what is known already is added by `of` the first time. */
export function createTally(known: Counters[], changed: (counters: Counters) => void): Tally {
  const counters = new Map(known.map((one) => [one.organizationId, one]))
  const nothing = (organizationId: number): Counters => ({ organizationId, hits: 0, misses: 0, dropped: 0 })
  return {
    of: (organizationId) => counters.get(organizationId) ?? nothing(organizationId),
    count(organizationId, what) {
      const counted = counters.get(organizationId) ?? nothing(organizationId)
      counters.set(organizationId, counted)
      counted[what] += 1
      changed(counted)
    },
  }
}
