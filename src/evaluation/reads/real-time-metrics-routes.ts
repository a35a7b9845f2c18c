import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type RealTimeMetric, realTimeMetrics } from './real-time-metrics.ts'
import { streamJson } from '../../http/bodies/json-stream.ts'
import { presentMetric, RealTimeMetrics } from './real-time-metrics-model.ts'

type Deps = { db: Database; clock: Clock; config: Config; guard: GuardDeps }

/** So many are checked and written at once in some milliseconds; more of them are written as they are read. */
const maxAtOnce = 300
const readWithinMs = 60_000

/** How all SLOs stand, from what was last evaluated: no source is asked. */
export const realTimeMetricsRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/tsdb', tags: ['Measurements'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/real-time-metrics',
    async ({ caller }) => {
      const metrics = await realTimeMetrics(deps, caller.organizationId)
      if (metrics.length > maxAtOnce) {
        const response = streamJson(piecesOf(metrics), readWithinMs, () => {})
        return response as unknown as RealTimeMetrics // a Response goes past the schema
      }
      return { metrics: metrics.map(presentMetric), total: metrics.length }
    },
    operation('getRealTimeMetrics', 'How all SLOs stand, as last evaluated', { 200: RealTimeMetrics }),
  )

function* piecesOf(metrics: RealTimeMetric[]): Generator<string> {
  for (const [place, metric] of metrics.entries()) {
    yield `${place === 0 ? '{"metrics":[' : ','}${JSON.stringify(presentMetric(metric))}`
  }
  yield `],"total":${metrics.length}}`
}
