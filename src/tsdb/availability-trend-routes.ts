import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { availabilityTrend } from './availability-trend.ts'
import { presentTrend, Trend, TrendQuery } from './availability-trend-model.ts'
import { durationSeconds } from './promql/duration.ts'
import { seriesSteps } from './series-steps.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

/** How available all SLOs together were, from the ledger: no source is asked. */
export const availabilityTrendRoutes = ({ db, clock, guard }: Deps) =>
  new Elysia({ prefix: '/slos' }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/availability-trend',
    async ({ caller, query }) => {
      const { period = '24h', step } = query
      const nowMs = clock.now()
      const stepSeconds = step === undefined ? undefined : durationSeconds(step)
      const steps = seriesSteps({ periodSeconds: durationSeconds(period), stepSeconds }, nowMs)
      return presentTrend(period, steps, await availabilityTrend(db, caller.organizationId, steps, nowMs / 1000))
    },
    { query: TrendQuery, response: { 200: Trend } },
  )
