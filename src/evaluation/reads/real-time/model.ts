import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../../clock.ts'
import { presentWindowBudget, WindowBudgetFields } from '../../../sli/model.ts'
import { round10, windowBudget } from '../../../slos/arithmetic/budget.ts'
import { windowName } from '../../../slos/arithmetic/windows.ts'
import { parseLabels } from '../../../slos/labels.ts'
import { presentState, stateFields } from '../state-model.ts'
import type { RealTimeMetric } from './metrics.ts'

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
  ...stateFields,
  current_value: MaybeNumber,
  target_value: t.Number(),
  own_value: MaybeNumber,
  error_budget_percent: MaybeNumber,
  error_budget_used: MaybeNumber,
  ...WindowBudgetFields,
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
      ...WindowBudgetFields,
    }),
  ),
})

export const RealTimeMetrics = t.Object({ metrics: t.Array(Metric), total: t.Number() }, { title: 'RealTimeMetrics' })
export type RealTimeMetrics = Static<typeof RealTimeMetrics>

/**
 * Presents a metric. `error_budget_percent` is what remains. `status` repeats `current_status`, and `updated_at` repeats
 * `last_updated`.
 */
export function presentMetric({ slo, state, dayChange, weekChange }: RealTimeMetric) {
  const { status, budgetUsed, lastMeasured } = state
  const updatedAt = isoTimeOrNull(state.evaluatedAtMs)
  return {
    slo_id: slo.id,
    slo_name: slo.name,
    time_window: slo.time_window,
    labels: parseLabels(slo),
    current_status: status,
    status,
    status_reason: state.reason,
    status_message: state.message,
    ...presentState(state),
    current_value: round10(state.current),
    target_value: slo.target,
    own_value: round10(state.own),
    error_budget_percent: budgetUsed === null ? null : round10(100 - budgetUsed),
    error_budget_used: budgetUsed,
    ...presentWindowBudget(windowBudget(budgetUsed, slo.target, state)),
    coverage: state.currentCoverage,
    own_coverage: state.ownCoverage,
    burn_rates: state.burnRates.map((rate) => ({
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
    age_seconds: state.ageSeconds,
    stale: state.isStale,
    last_measured: lastMeasured && {
      at: isoTime(lastMeasured.atMs),
      age_seconds: lastMeasured.ageSeconds,
      current_value: round10(lastMeasured.current),
      own_value: round10(lastMeasured.own),
      error_budget_used: lastMeasured.budgetUsed,
      ...presentWindowBudget(windowBudget(lastMeasured.budgetUsed, slo.target, lastMeasured)),
    },
  }
}
