import type { Cache } from '../../../cache/cache.ts'
import type { Clock } from '../../../clock.ts'
import type { Database } from '../../../db/open.ts'
import { availabilityTrend } from './availability-trend.ts'
import { isTrend, presentTrend, type Trend } from './model.ts'
import { remembered } from '../../../sli/cached.ts'
import { activeRevisions } from './cached-trend-store.ts'
import { openStep, type Steps } from '../series-steps.ts'

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
  const nowMs = clock.now()
  const keyParts = ['trend', steps, openStep(steps, nowMs), await activeRevisions(db.read, organizationId)]
  const question = { organizationId, sloId: 0, window: period, query: trendQuery, keyParts, holdsMs, isAnswer: isTrend }
  const compute = async () => {
    const trend = await availabilityTrend(db, organizationId, steps, nowMs)
    return { answer: presentTrend(period, steps, trend), isWhole: true, isKnown: trend.points.length > 0 }
  }
  const { answer, cached } = await remembered({ cache }, { ...question, compute })
  return { ...answer, metadata: { cached } }
}
