import { Elysia } from 'elysia'
import type { Clock } from '../../../clock.ts'
import type { Cache } from '../../../cache/cache.ts'
import type { Database } from '../../../db/open.ts'
import { operation } from '../../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../../http/signed-in.ts'
import { Trend, TrendQuery } from './model.ts'
import { cachedTrend } from './cached-trend.ts'
import { durationSeconds } from '../../../promql/literals.ts'
import { seriesSteps } from '../series-steps.ts'

type Deps = { db: Database; clock: Clock; cache: Cache; guard: GuardDeps }

/** How available all SLOs together were, from the ledger: no source is asked. */
export const availabilityTrendRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/availability-trend',
    async ({ caller, query }) => {
      const { period = '24h', step } = query
      const stepSeconds = step === undefined ? undefined : durationSeconds(step)
      const steps = seriesSteps({ periodSeconds: durationSeconds(period), stepSeconds }, deps.clock.now())
      return cachedTrend(deps, caller.organizationId, period, steps)
    },
    operation('getAvailabilityTrend', 'How available all SLOs together were', {
      query: TrendQuery,
      200: Trend,
      description:
        'Whole steps of UTC, and last the one that is not over, up to `end_time`. What was filled in from before an SLO was ' +
        'created counts.',
    }),
  )
