import { Elysia } from 'elysia'
import { isoTime } from '../clock.ts'
import { operation } from '../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { getActiveSlo } from '../slos/store.ts'
import { cachedCalculation, type CachedDeps } from './query-cache.ts'
import { runAdHocQuery } from './query.ts'
import type { SourceHealth } from '../sources/health.ts'
import { isLargeResult, type LargeResults } from './large-result.ts'
import {
  CalculationRequest,
  CalculationResult,
  QueryRequest,
  QueryResult,
  ownQueryProblems,
  sourceProblems,
  SourcesHealth,
  stepSeconds,
} from './model.ts'

type Deps = CachedDeps & {
  checkSources: (organizationId: number) => Promise<SourceHealth[]>
  largeResults: LargeResults
  guard: GuardDeps
}

/** Routes that query sources. They change nothing in the organization, so a viewer may use them. */
export function sliRoutes({ guard, checkSources, largeResults, ...deps }: Deps) {
  return new Elysia({ prefix: '/tsdb', tags: ['Measurements'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .post(
      '/calculate-slo',
      async ({ caller, body }) => {
        const slo = await getActiveSlo(deps.db.read, caller.organizationId, body.slo_id)
        return cachedCalculation(deps, slo, {
          window: body.time_window,
          extendTime: body.extend_time,
          withDetails: body.include_details ?? false,
        })
      },
      operation('calculateSlo', 'Measure an SLO over a window, now or at another time', {
        description:
          'Asks the source now. `current_value` is that of the requested window, the budget always that of the ' +
          'SLO’s own. `extend_time` calculates as of another moment; `include_details` adds coverage and every ' +
          'query that was sent. Answers are kept in the cache.',
        body: CalculationRequest,
        200: CalculationResult,
        404: 'There is no such SLO, or it is deleted',
        ...sourceProblems,
      }),
    )
    .post(
      '/query',
      async ({ caller: { organizationId }, body }) => {
        const answer = await runAdHocQuery(deps, organizationId, {
          sloId: 0,
          sourceId: body.source_id ?? null,
          query: body.query,
          window: body.time_range ?? '1h',
          stepSeconds: stepSeconds(body.step),
          extendTime: body.extend_time,
        })
        if (!isLargeResult(answer.query_result.result)) return answer
        return largeResults(organizationId, answer) as unknown as QueryResult // a Response bypasses the schema
      },
      operation('querySource', 'Ask a source', {
        description:
          'Every role may send it. Without `step` one instant, at the end; with it a range, of at most 11,000 ' +
          'points, over `time_range`, by default 1h. Placeholders such as `$window` become ' +
          '`time_range`. Without `source_id` the default source. Answers are kept in the cache.',
        body: QueryRequest,
        200: QueryResult,
        404: 'There is no such source',
        ...ownQueryProblems,
      }),
    )
    .get(
      '/health',
      async ({ caller, set }) => {
        const sources = await checkSources(caller.organizationId)
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
      operation('checkSources', 'Whether the sources answer', {
        description:
          'Asks each active source; what was found out within the last five seconds is used again. The status is ' +
          '503 where one does not answer, or there is none.',
        200: SourcesHealth,
        503: SourcesHealth,
        responses: {
          200: { description: 'All sources answer' },
          503: { description: 'A source does not answer, or there is none' },
        },
      }),
    )
}
