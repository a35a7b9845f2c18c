import { Elysia, type Static, t } from 'elysia'
import { type Clock, isoTime, isoTimeOrNull } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import { streamJson } from '../../http/bodies/json-stream.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { tidy } from '../../slos/arithmetic/budget.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import { parseLabels } from '../../slos/labels.ts'
import { type RealTimeMetric, realTimeMetrics } from './real-time-metrics.ts'

const MaybeNumber = t.Nullable(t.Number())
const MaybeString = t.Nullable(t.String())

const BurnRate = t.Object({
  severity: t.String(),
  long_window: t.String(),
  short_window: t.String(),
  factor: t.Number(),
  min_events: t.Number(),
  enabled: t.Boolean(),
  long_burn_rate: MaybeNumber,
  short_burn_rate: MaybeNumber,
  long_bad_events: MaybeNumber,
  firing: t.Nullable(t.Boolean()),
})

const Metric = t.Object({
  slo_id: t.Number(),
  slo_name: t.String(),
  time_window: t.String(),
  labels: t.Record(t.String(), t.String()),
  current_status: t.String(),
  status: t.String(),
  status_reason: MaybeString,
  status_message: MaybeString,
  current_value: MaybeNumber,
  target_value: t.Number(),
  own_value: MaybeNumber,
  error_budget_percent: MaybeNumber,
  error_budget_used: MaybeNumber,
  coverage: MaybeNumber,
  own_coverage: MaybeNumber,
  burn_rates: t.Array(BurnRate),
  trends: t.Object({ '24h_change': MaybeNumber, '7d_change': MaybeNumber }),
  last_updated: MaybeString,
  updated_at: MaybeString,
  age_seconds: MaybeNumber,
  stale: t.Boolean(),
  last_measured: t.Nullable(
    t.Object({
      at: t.String(),
      age_seconds: t.Number(),
      current_value: MaybeNumber,
      own_value: MaybeNumber,
      error_budget_used: MaybeNumber,
    }),
  ),
})

const RealTimeMetrics = t.Object({ metrics: t.Array(Metric), total: t.Number() }, { title: 'RealTimeMetrics' })
type RealTimeMetrics = Static<typeof RealTimeMetrics>

type Deps = { db: Database; clock: Clock; config: Config; guard: GuardDeps }

/** So many are checked and written at once in some milliseconds; more of them are written as they are read. */
const maxAtOnce = 300
const readWithinMs = 60_000

/** The present state of all SLOs, as last evaluated: no source is queried. */
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

/** `error_budget_percent` is what remains; `status` and `updated_at` repeat two values under a second name. */
function presentMetric({ slo, now, dayChange, weekChange }: RealTimeMetric) {
  const { status, budgetUsed, lastMeasured } = now
  const updatedAt = isoTimeOrNull(now.evaluatedAtMs)
  return {
    slo_id: slo.id,
    slo_name: slo.name,
    time_window: slo.time_window,
    labels: parseLabels(slo),
    current_status: status,
    status,
    status_reason: now.reason,
    status_message: now.message,
    current_value: tidy(now.current),
    target_value: slo.target,
    own_value: tidy(now.own),
    error_budget_percent: budgetUsed === null ? null : tidy(100 - budgetUsed),
    error_budget_used: budgetUsed,
    coverage: now.currentCoverage,
    own_coverage: now.ownCoverage,
    burn_rates: now.burnRates.map((rate) => ({
      severity: rate.severity,
      long_window: windowName(rate.long_seconds),
      short_window: windowName(rate.short_seconds),
      factor: rate.factor,
      min_events: rate.min_events,
      enabled: rate.enabled,
      long_burn_rate: rate.long,
      short_burn_rate: rate.short,
      long_bad_events: rate.long_bad_events,
      firing: rate.firing,
    })),
    trends: { '24h_change': dayChange, '7d_change': weekChange },
    last_updated: updatedAt,
    updated_at: updatedAt,
    age_seconds: now.ageSeconds,
    stale: now.stale,
    last_measured: lastMeasured && {
      at: isoTime(lastMeasured.atMs),
      age_seconds: lastMeasured.ageSeconds,
      current_value: tidy(lastMeasured.current),
      own_value: tidy(lastMeasured.own),
      error_budget_used: lastMeasured.budgetUsed,
    },
  }
}
