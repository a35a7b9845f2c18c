import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { windowSeconds } from '../slos/windows.ts'
import { calculateSlo } from './calculate.ts'
import { endOfWindow } from './end-time.ts'
import { checkSources } from './health.ts'
import {
  CalculationRequest,
  CalculationResult,
  presentCalculation,
  QueryRequest,
  QueryResult,
  SourcesHealth,
  stepSeconds,
} from './model.ts'
import type { Prometheus } from './prometheus/client.ts'
import { runQuery } from './query.ts'
import { openSource } from './sources.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  prometheus: Prometheus
  sourceTimeoutMs: number
  guard: GuardDeps
}

/** Questions to the sources. They change nothing of the organization's, so whoever may read may ask. */
export const tsdbRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/tsdb' })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .post(
      '/calculate-slo',
      async ({ caller, body }) => {
        const withDetails = body.include_details ?? false
        const calculation = await calculateSlo(deps, caller.organizationId, {
          sloId: body.slo_id,
          window: body.time_window,
          endSeconds: endOfWindow(body.extend_time, deps.clock.now()),
          withDetails,
        })
        return presentCalculation(calculation, withDetails, deps.clock.now())
      },
      { body: CalculationRequest, response: { 200: CalculationResult } },
    )
    .post(
      '/query',
      async ({ caller, body }) => {
        const timeRange = body.time_range ?? '1h'
        const seconds = windowSeconds(timeRange)
        const endSeconds = endOfWindow(body.extend_time, deps.clock.now())
        const source = await openSource(deps, caller.organizationId, body.source_id ?? null)
        const answer = await runQuery(source, {
          query: body.query,
          windowSeconds: seconds,
          endSeconds,
          stepSeconds: stepSeconds(body.step),
        })
        return {
          query_result: { result_type: answer.resultType, result: answer.result },
          status: 'success',
          metadata: {
            time_range: timeRange,
            start_time: isoTime((endSeconds - seconds) * 1000),
            end_time: isoTime(endSeconds * 1000),
            source_name: source.name,
            partial: answer.partial,
          },
          warnings: answer.warnings,
          queried_at: isoTime(deps.clock.now()),
        }
      },
      { body: QueryRequest, response: { 200: QueryResult } },
    )
    .get(
      '/health',
      async ({ caller, set }) => {
        const sources = await checkSources(deps, caller.organizationId)
        const broken = sources.filter(({ status }) => status !== 'healthy').length
        const healthy = sources.length > 0 && broken === 0
        set.status = healthy ? 200 : 503
        const problem =
          sources.length === 0 ? 'No active metrics source' : `${broken} of ${sources.length} sources unreachable`
        return {
          data_sources: sources,
          total: sources.length,
          checked_by: caller.userId,
          service: 'tsdb',
          status: healthy ? 'healthy' : 'unhealthy',
          ...(healthy ? { message: 'All sources answer' } : { success: false, error: problem }),
          timestamp: isoTime(deps.clock.now()),
        }
      },
      { response: { 200: SourcesHealth, 503: SourcesHealth } },
    )
