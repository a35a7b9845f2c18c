import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { availabilityTrend } from './availability-trend.ts'
import { isTrend, presentTrend, type Trend } from './availability-trend-model.ts'
import { remembered } from './cached.ts'
import { activeRevisions } from './cached-trend-store.ts'
import type { Steps } from './series-steps.ts'

type Deps = { db: Database; clock: Clock; cache: Cache }

/** Stands for the query of what asks no source. */
export const trendQuery = 'availability-trend'

/** As little as a minute: what was late comes into the ledger a minute at a time. */
const holdsMs = 60_000

/** How available all SLOs together were, as they are measured now, in the last minute or now. */
export async function cachedTrend(
  { db, clock, cache }: Deps,
  organizationId: number,
  period: string,
  steps: Steps,
): Promise<Trend> {
  const facts = ['trend', steps, await activeRevisions(db.read, organizationId)]
  const question = { organizationId, sloId: 0, timeWindow: period, query: trendQuery, facts, holdsMs }
  const { answer, cached } = await remembered({ cache }, { ...question, isAnswer: isTrend }, async () => {
    const points = await availabilityTrend(db, organizationId, steps, clock.now() / 1000)
    return { answer: presentTrend(period, steps, points), isWhole: true, isKnown: points.length > 0 }
  })
  return { ...answer, metadata: { cached } }
}
