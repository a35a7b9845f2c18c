import { Elysia } from 'elysia'
import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import type { Database } from '../../../db/open.ts'
import { streamJson } from '../../../http/bodies/json-stream.ts'
import { operation } from '../../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../../http/signed-in.ts'
import { createRealTimeCache } from './json-cache.ts'
import { realTimeMetrics } from './metrics.ts'
import { presentMetric, RealTimeMetrics } from './model.ts'

type Deps = { db: Database; clock: Clock; config: Config; guard: GuardDeps }

const readWithinMs = 60_000

/** Current state of all SLOs, as last evaluated; no source is queried. */
export const realTimeMetricsRoutes = ({ guard, ...deps }: Deps) => {
  const answers = createRealTimeCache(deps)
  return new Elysia({ prefix: '/tsdb', tags: ['Measurements'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/real-time-metrics',
    async ({ caller }) => {
      const written = await answers.getLarge(caller.organizationId)
      if (written) {
        const response = streamJson(written, readWithinMs, () => {})
        return response as unknown as RealTimeMetrics // a Response bypasses the schema
      }
      const metrics = await realTimeMetrics(deps, caller.organizationId)
      return { metrics: metrics.map(presentMetric), total: metrics.length }
    },
    operation('getRealTimeMetrics', 'How all SLOs stand, as last evaluated', {
      description:
        'All active SLOs in one answer, as of the last evaluation: no source is asked. A value is `stale`, and ' +
        'its status `unknown`, once it is older than three evaluation intervals and three minutes; `last_measured` then has the last known one.',
      200: RealTimeMetrics,
    }),
  )
}
