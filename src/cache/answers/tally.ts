import type { Counters } from './analytics-store.ts'
import { isCount } from '../entry.ts'

/** Hits, misses and dropped rows of each organization. */
export type Tally = {
  of(organizationId: number): Readonly<Counters>
  count(organizationId: number, what: Counted): void
}

type Counted = keyof Omit<Counters, 'organizationId'>

/** Goes on from what is known, or from 0 where that is damaged; tells of each change, and of what was counted. */
export function createTally(known: Counters[], changed: (counters: Counters, what: Counted) => void): Tally {
  const counters = new Map(known.map((one) => [one.organizationId, whole(one)]))
  const nothing = (organizationId: number): Counters => ({ organizationId, hits: 0, misses: 0, dropped: 0 })
  return {
    of: (organizationId) => counters.get(organizationId) ?? nothing(organizationId),
    count(organizationId, what) {
      const counted = counters.get(organizationId) ?? nothing(organizationId)
      counters.set(organizationId, counted)
      counted[what] += 1
      changed(counted, what)
    },
  }
}

function whole({ organizationId, hits, misses, dropped }: Counters): Counters {
  const countOf = (value: number) => (isCount(value) ? value : 0)
  return { organizationId, hits: countOf(hits), misses: countOf(misses), dropped: countOf(dropped) }
}
