import { type Static, t } from 'elysia'
import { BodyId, Format, guardOf, Text } from '../http/schemas.ts'
import type { WindowBudget } from '../slos/arithmetic/budget.ts'
import { isSloWindow, isWindow, windowText } from '../slos/arithmetic/window-names.ts'
import type { SloWindow, Window } from '../slos/arithmetic/windows.ts'
import { Execution } from '../sources/model.ts'

const secondsOfUnit: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }
const stepPattern = /^([1-9]\d{0,7})([smhd])$/

const ExtendTime = t.Optional(t.String({ description: 'an ISO 8601 time with a zone' }))

const WindowName = t.Unsafe<Window>(Format('window', windowText, isWindow))

/** Window over which an SLO is calculated: any that a query may have, or its own. */
const CalculationWindow = t.Unsafe<Window | SloWindow>(
  Format(
    'calculation-window',
    `${windowText}, or the window of the SLO`,
    (text) => isWindow(text) || isSloWindow(text),
  ),
)

export const CalculationRequest = t.Object(
  {
    slo_id: BodyId('SLO'),
    time_window: CalculationWindow,
    include_details: t.Optional(t.Boolean({ description: 'true or false' })),
    extend_time: ExtendTime,
  },
  { title: 'CalculationRequest', examples: [{ slo_id: 1, time_window: '24h', include_details: true }] },
)

export const QueryRequest = t.Object(
  {
    query: Text({ max: 10_000, lines: 'many' }),
    time_range: t.Optional(WindowName),
    step: t.Optional(Format('step', 'a duration such as 15s, 1m or 5m', (value) => stepPattern.test(value))),
    extend_time: ExtendTime,
    source_id: t.Optional(BodyId('source')),
  },
  { title: 'QueryRequest', examples: [{ query: 'sum(rate(http_requests_total[5m]))', time_range: '1h', step: '1m' }] },
)

const noSource = 'The source does not answer, or there is none'

/** Error responses of a request that sends stored queries to a source. */
export const sourceProblems = { 500: 'The source refused the query; `details` repeats its message', 503: noSource }

/** Error responses of a request that contains its query. */
export const ownQueryProblems = {
  400: 'A field is wrong, or the source refused the query; `problems` repeats its message',
  503: noSource,
}

/** Seconds of a `step` that was validated by its format; null without one. */
export function stepSeconds(text: string | undefined): number | null {
  const [, count, unit] = stepPattern.exec(text ?? '') ?? []
  return count && unit ? Number(count) * (secondsOfUnit[unit] ?? 1) : null
}

const MaybeNumber = t.Nullable(t.Number())

/** Total of an error budget, in percentage points. */
export const budgetTotal = t.Number({
  description: 'the whole error budget, in percentage points: 100 less the target',
})

/** Length of the window whose budget an answer is about, for the API. */
export const WindowSeconds = t.Number({ description: 'length of the whole window, of a calendar period until its end' })

/** Fields of `windowBudget`, beside those of a budget. */
export const WindowBudgetFields = {
  window_percent_used: t.Nullable(
    t.Number({
      description:
        'what is used of the error budget that the whole window will have if traffic stays as it is, in percent of it: ' +
        'the percentage used times the share of the window since the first sample. For events it is an estimate until ' +
        'a tenth of the window exists. Null: not known, or the past is still being filled in',
    }),
  ),
  window_percent_estimated: t.Boolean({
    description: 'true while window_percent_used is an estimate',
  }),
}

export const BudgetFields = {
  time_window: t.String(),
  total: budgetTotal,
  used: MaybeNumber,
  remaining: MaybeNumber,
  percentage_used: MaybeNumber,
  ...WindowBudgetFields,
}

export function presentWindowBudget({ usedPercent, isEstimated }: WindowBudget) {
  return { window_percent_used: usedPercent, window_percent_estimated: isEstimated }
}

export const QueryMetrics = t.Nullable(
  t.Object({ good_events: t.Number(), total_events: t.Number(), window_seconds: t.Number() }),
)

export const CalculationResult = t.Object(
  {
    slo_id: t.Number(),
    slo_name: t.String(),
    time_window: t.String(),
    start_time: t.String(),
    end_time: t.String(),
    current_value: MaybeNumber,
    target_value: t.Number(),
    error_budget_used: MaybeNumber,
    status: t.String(),
    status_reason: t.Nullable(t.String()),
    status_message: t.Nullable(t.String()),
    calculated_at: t.String(),
    error_budget: t.Object({ ...BudgetFields, coverage: t.Optional(MaybeNumber) }),
    query_metrics: QueryMetrics,
    metadata: t.Object({
      expression: t.String(),
      window_method: t.String(),
      unit: t.Nullable(t.String()),
      source_name: t.String(),
      partial: t.Boolean(),
      cached: t.Boolean(),
    }),
    warnings: t.Array(t.String()),
    coverage: t.Optional(MaybeNumber),
    query_executions: t.Optional(t.Array(Execution)),
  },
  { title: 'CalculationResult' },
)

const Labels = t.Record(t.String(), t.String())
const Point = t.Tuple([t.Number(), t.String()], { description: 'Unix seconds, and the value as text' })

export const QueryResult = t.Object(
  {
    query_result: t.Object({
      result_type: t.String(),
      result: t.Array(
        t.Object({
          metric: Labels,
          value: t.Optional(Point),
          values: t.Optional(
            t.Array(Point, { description: 'of a range: Unix seconds and the value as text, oldest first' }),
          ),
          histogram: t.Optional(t.Unknown()),
          histograms: t.Optional(t.Array(t.Unknown())),
        }),
      ),
    }),
    status: t.String(),
    metadata: t.Object({
      time_range: t.String(),
      start_time: t.String(),
      end_time: t.String(),
      step_seconds: t.Nullable(t.Number({ description: 'null: an instant query at end_time' })),
      source_name: t.String(),
      partial: t.Boolean(),
      cached: t.Boolean(),
    }),
    warnings: t.Array(t.String()),
    queried_at: t.String(),
  },
  { title: 'QueryResult' },
)

/** In a cached result `metadata.cached` has no meaning: each response sets it. */
export type CalculationResult = Static<typeof CalculationResult>
export type QueryResult = Static<typeof QueryResult>
export const isCalculationResult = guardOf(CalculationResult)
export const isQueryResult = guardOf(QueryResult)

const HealthItem = t.Object({
  id: t.Number(),
  organization_id: t.Number(),
  name: t.String(),
  api_url: t.String(),
  is_active: t.Boolean(),
  status: t.String(),
  last_check: t.String(),
  error: t.Optional(t.String()),
})

export const SourcesHealth = t.Object(
  {
    data_sources: t.Array(HealthItem),
    total: t.Number(),
    checked_by: t.Number(),
    service: t.String(),
    status: t.String(),
    message: t.Optional(t.String()),
    success: t.Optional(t.Literal(false)),
    error: t.Optional(t.String()),
    timestamp: t.String(),
  },
  { title: 'SourcesHealth' },
)
