import { Elysia, t } from 'elysia'
import { type Clock, minuteMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import { streamJson } from '../../http/bodies/json-stream.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { getSlo } from '../../slos/store.ts'
import { checksOf, type JobRuns, type RunProbe } from './checks.ts'
import { presentChecks, SloChecks } from './checks-model.ts'
import { EvaluationList, EvaluationListQuery, presentEvaluation } from './evaluation-list-model.ts'
import { listEvaluations } from '../evaluation-store.ts'
import { seriesSteps } from './series-steps.ts'
import { forecastWindows, presentBudget, SloBudget } from './budget-model.ts'
import { presentBurnRates, SloBurnRates, tierWindows } from './burn-rates-model.ts'
import { sloSeries } from './series.ts'
import { presentSeries, SeriesQuery, SloSeries } from './series-model.ts'
import { type Deps, readMeasuredSlo } from './measured-slo.ts'
import type { RealTimeCache } from './real-time/json-cache.ts'
import { realTimeMetrics } from './real-time/metrics.ts'
import { presentMetric, RealTimeMetrics } from './real-time/model.ts'

const params = t.Object({ id: Id('SLO') })
type ReadsDeps = Deps & {
  guard: GuardDeps
  /** Active probes of an organization; null until they have been read. */
  probesOf: (organizationId: number) => readonly RunProbe[] | null
  heartbeats: JobRuns
}
type WindowsOf = Parameters<typeof readMeasuredSlo>[3]

/** Present state and history of one SLO, deleted ones too, from stored measurements; no source is queried. */
export const sloReadsRoutes = ({ guard, probesOf, ...deps }: ReadsDeps) => {
  const { answers } = guard
  const measured = async (caller: Caller, id: number, request: Request, windowsOf: WindowsOf) => {
    const read = await readMeasuredSlo(deps, caller.organizationId, id, windowsOf)
    answers.limit(request, read.validity)
    return read
  }
  return new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/burn-rates',
      async ({ caller, params, request }) => presentBurnRates(await measured(caller, params.id, request, tierWindows)),
      {
        ...operation('getBurnRates', 'The burn rates of an SLO, tier by tier', {
          description:
            'Both burn rates of each tier at `measured_at`, from the ledger: no source is asked. Time before the first ' +
            'sample burns nothing. A rate is null while less than half of its window since that sample has data; then ' +
            '`firing` is null and the alert stays as it is.',
          params,
          200: SloBurnRates,
        }),
        beforeHandle: answers.keep,
      },
    )
    .get(
      '/budget',
      async ({ caller, params, request }) => presentBudget(await measured(caller, params.id, request, forecastWindows)),
      {
        ...operation('getBudget', 'The error budget of an SLO, its burn-down and forecast', {
          description:
            'In percent, in events and in minutes, as last evaluated: no source is asked. `burn_down` is beside the ' +
            'straight line that lasts exactly the window, `calendar` says when the window gives back what ' +
            'was used. Values that are not known are null, with the reason in `status_reason`.',
          params,
          200: SloBudget,
        }),
        beforeHandle: answers.keep,
      },
    )
    .get(
      '/evaluations',
      async ({ caller, params, query }) => {
        const { id, target } = await getSlo(deps.db.read, caller.organizationId, params.id)
        const page = readPage(query, 20)
        const { rows, total } = await listEvaluations(deps.db.read, id, { ...page, failed: query.failed === 'true' })
        return { evaluations: rows.map((row) => presentEvaluation(row, target)), ...pageFields(page, total) }
      },
      {
        ...operation('listEvaluations', 'The evaluations of an SLO, newest first', {
          params,
          query: EvaluationListQuery,
          200: EvaluationList,
          description:
            'Each evaluation of the last two days; of older ones the last of each hour, and after 35 days the last of each day.',
        }),
        beforeHandle: answers.keep,
      },
    )
    .get(
      '/checks',
      async ({ caller: { organizationId }, params }) => {
        const probes = probesOf(organizationId) ?? []
        return presentChecks(
          params.id,
          await checksOf({ ...deps, db: deps.db.read, probes }, organizationId, params.id),
        )
      },
      operation('listChecks', 'The last checks of the probes, and runs of the heartbeats, that an SLO reads', {
        description:
          'Of an SLO that reads probes or heartbeats of nines; confirmations of a failure are among them. Of a heartbeat, runs that were good, failed or missed, and late reports.',
        params,
        200: SloChecks,
      }),
    )
    .get(
      '/series',
      async ({ caller, params, query: { period, start, end, step } }) => {
        const request = { periodSeconds: period, startMs: start, endMs: end, stepSeconds: step }
        const steps = seriesSteps(request, deps.clock.now())
        return presentSeries(params.id, steps, await sloSeries(deps, caller.organizationId, params.id, steps))
      },
      operation('getSeries', 'The SLI of an SLO over time', {
        description:
          'Of whole steps in UTC, at most 1,000, from the ledger: no source is asked. Without parameters the last ' +
          'day in 24 steps; `period`, or `start` and `end`, choose another range, `step` another resolution. ' +
          '`resolution_seconds` says how fine the ledger still is there.',
        params,
        query: SeriesQuery,
        200: SloSeries,
      }),
    )
}

type RealTimeDeps = { db: Database; clock: Clock; config: Config; realTimeCache: RealTimeCache; guard: GuardDeps }

const readWithinMs = minuteMs

/** Current state of all SLOs, as last evaluated; no source is queried. */
export const realTimeMetricsRoutes = ({ guard, realTimeCache, ...deps }: RealTimeDeps) =>
  new Elysia({ prefix: '/tsdb', tags: ['Measurements'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/real-time-metrics',
    async ({ caller }) => {
      const written = await realTimeCache.getLarge(caller.organizationId)
      if (written) {
        const response = streamJson(written, { timeoutMs: readWithinMs })
        return response as unknown as RealTimeMetrics // a Response bypasses the schema
      }
      const metrics = await realTimeMetrics(deps, caller.organizationId)
      return { metrics: metrics.map(presentMetric), total: metrics.length }
    },
    operation('getRealTimeMetrics', 'How all SLOs stand, as last evaluated', {
      description:
        'All active SLOs in one answer, as of the last evaluation: no source is asked. A value is `stale`, and ' +
        'its status `unknown`, once it is older than three evaluation intervals, or three minutes if that is longer; `last_measured` then has the last known one. ' +
        'If the status is unknown because the last hour has no data or does not count, `own_value` and the error budget are those of the own window.',
      200: RealTimeMetrics,
    }),
  )
