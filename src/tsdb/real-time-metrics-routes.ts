import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { realTimeMetrics } from './real-time-metrics.ts'
import { presentMetric, RealTimeMetrics } from './real-time-metrics-model.ts'

type Deps = { db: Database; clock: Clock; config: Config; guard: GuardDeps }

/** How all SLOs stand, from what was last evaluated: no source is asked. */
export const realTimeMetricsRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/tsdb', tags: ['Measurements'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/real-time-metrics',
    async ({ caller }) => {
      const metrics = await realTimeMetrics(deps, caller.organizationId)
      return { metrics: metrics.map(presentMetric), total: metrics.length }
    },
    {
      response: { 200: RealTimeMetrics },
      detail: { operationId: 'getRealTimeMetrics', summary: 'How all SLOs stand, as last evaluated' },
    },
  )
