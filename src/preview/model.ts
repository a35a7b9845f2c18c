import { type Static, t } from 'elysia'
import { isoTime } from '../clock.ts'
import type { Tier } from '../slos/arithmetic/burn-rates.ts'
import { assess, round10, unknownWindowBudget } from '../slos/arithmetic/budget.ts'
import { SeriesLabel, SeriesLabelValue, SloCreation } from '../slos/model.ts'
import type { OwnWindow } from '../slos/arithmetic/own-window.ts'
import { type SloWindow, type Window, windowName, windowSeconds } from '../slos/arithmetic/windows.ts'
import type { Counts } from '../slos/arithmetic/apportion.ts'
import { stepsOfWindow } from '../slos/arithmetic/window-steps.ts'
import type { PreviewHistory } from './look-back.ts'
import {
  type Assessments,
  type Measurement,
  percentOf,
  presentBudget,
  presentCounts,
  type Sli,
  type SliUnit,
} from '../sli/sli.ts'
import { OneOf, ProblemParts } from '../http/schemas.ts'
import { moreProblems } from '../http/checks/more-problems.ts'
import { creationProblems } from '../slos/definition.ts'
import { MaybePicks } from '../slos/picks-model.ts'
import { BudgetFields, QueryMetrics } from '../sli/model.ts'
import { previewProblemCodes, previewProblemCodeText } from './problem-codes.ts'
import type { PreviewProblem } from './selectors.ts'
import type { MeasuredWindow } from './what-if.ts'
import { presentWhatIf, WhatIf } from './what-if-model.ts'

/** An SLO as it would be created, without a name if it has none yet. */
export const SloPreview = t.Object(
  {
    ...SloCreation.properties,
    name: t.Optional(SloCreation.properties.name),
    for_each: t.Optional(
      t.Object(
        { label: SeriesLabel, value: SeriesLabelValue },
        { description: 'preview the SLO that POST /slos/bulk creates for this value' },
      ),
    ),
  },
  {
    [moreProblems]: creationProblems,
    title: 'SloPreview',
    examples: [
      {
        target: 99.9,
        time_window: '30d',
        metric_type: 'availability',
        good_query: 'sum(rate(http_requests_total{job="checkout", code!~"5.."}[5m]))',
        total_query: 'sum(rate(http_requests_total{job="checkout"}[5m]))',
      },
    ],
  },
)
export type SloPreview = Static<typeof SloPreview>

const { metric_query, good_query, bad_query, total_query, threshold, threshold_op } = SloCreation.properties

/** The fields of an SLO that say what is asked of its source. */
export const SloQueries = t.Object(
  { metric_query, good_query, bad_query, total_query, threshold, threshold_op },
  {
    title: 'SloQueries',
    examples: [
      {
        good_query: 'sum(rate(http_requests_total{job="checkout", code!~"5.."}[5m]))',
        total_query: 'sum(rate(http_requests_total{job="checkout"}[5m]))',
      },
    ],
  },
)

export const PicksResult = t.Object({ picks: MaybePicks }, { title: 'PicksResult' })

export const PreviewQuery = t.Object({
  what_if: t.Optional(OneOf(['true', 'false'])),
})

/** Measurements of an SLO that does not exist yet; both windows end at `endSeconds`, a whole minute. */
export type Preview = Assessments & {
  slo: SloPreview
  currentWindow: Window
  ownWindow: OwnWindow
  endSeconds: number
  sourceName: string
  unit: SliUnit | null
  measurements: { current: Measurement; own: Measurement }
  problems: PreviewProblem[]
  warnings: string[]
  partial: boolean
  /** Null if there is no SLI to look back at, or the past could not be measured. */
  past: PreviewHistory | null
  /** Windows for which another target can be computed from `past`; null unless requested. */
  windows: MeasuredWindow[] | null
}

const MaybeNumber = t.Nullable(t.Number())
const MaybeText = t.Nullable(t.String())

const PreviewWindow = t.Object({
  time_window: t.String(),
  start_time: t.String(),
  end_time: t.String(),
  sli: MaybeNumber,
  status: t.String(),
  status_reason: MaybeText,
  status_message: MaybeText,
  coverage: MaybeNumber,
  query_metrics: QueryMetrics,
})

export const PreviewResult = t.Object(
  {
    status: t.String(),
    target_value: t.Number(),
    current: PreviewWindow,
    own: PreviewWindow,
    error_budget: t.Object(BudgetFields),
    first_sample_at: t.Nullable(
      t.String({
        description:
          'begin of the first minute with data of those that are looked back at; null: none is known. What is before it was not measured',
      }),
    ),
    metadata: t.Object({
      expression: t.String(),
      window_method: t.String(),
      unit: MaybeText,
      source_name: t.String(),
      partial: t.Boolean(),
    }),
    problems: t.Array(
      t.Object({
        field: t.String(),
        message: t.String(),
        hint: MaybeText,
        code: OneOf(previewProblemCodes, previewProblemCodeText),
        ...ProblemParts,
      }),
    ),
    warnings: t.Array(t.String()),
    history: t.Nullable(
      t.Object({
        start_time: t.String(),
        end_time: t.String(),
        step_seconds: t.Number(),
        resolution_seconds: t.Number(),
        points: t.Array(
          t.Object({
            timestamp: t.String(),
            sli: MaybeNumber,
            coverage: t.Number(),
            good: MaybeNumber,
            total: t.Nullable(t.Number({ description: 'how many events there were; null where time is measured' })),
          }),
        ),
      }),
    ),
    alerts: t.Array(
      t.Object({
        severity: t.String(),
        long_window: t.String(),
        short_window: t.String(),
        factor: t.Number(),
        started_at: t.String(),
        ended_at: MaybeText,
        peak_burn_rate: t.Number(),
      }),
    ),
    alerts_total: MaybeNumber,
    alerts_start_time: MaybeText,
    budget_exhausted_at: MaybeText,
    what_if: t.Nullable(WhatIf),
    previewed_at: t.String(),
  },
  { title: 'PreviewResult' },
)

const maxAlerts = 100

const iso = (seconds: number) => isoTime(seconds * 1000)

/**
 * Presents a preview. `status` is the one that the SLO would have: the current window compared with the target. `history` and
 * `alerts_total` are null if there is no history; a point's `timestamp` is the start of its step. `good` and `total` of all points add up
 * to the events of `own`, and are null if none are counted. The newest 100 alerts are listed. `what_if` is null unless requested.
 */
export function presentPreview(preview: Preview, nowMs: number) {
  const { slo, measurements, budget, past, endSeconds, ownWindow } = preview
  const window = (name: Window | SloWindow, seconds: number, sli: Sli, { coverageRatio, counts }: Measurement) => ({
    time_window: name,
    start_time: iso(endSeconds - seconds),
    end_time: iso(endSeconds),
    sli: round10(percentOf(sli)),
    status: assess(percentOf(sli), slo.target, budget.percentageUsed),
    status_reason: 'reason' in sli ? sli.reason : null,
    status_message: 'reason' in sli ? sli.message : null,
    coverage: round10(coverageRatio),
    query_metrics: presentCounts(counts, seconds),
  })
  return {
    status: preview.status,
    target_value: slo.target,
    current: window(preview.currentWindow, windowSeconds(preview.currentWindow), preview.current, measurements.current),
    own: window(slo.time_window, ownWindow.seconds, preview.own, measurements.own),
    error_budget: presentBudget(slo.time_window, budget, past?.windowBudget ?? unknownWindowBudget),
    first_sample_at: past?.firstSeconds ? iso(past.firstSeconds) : null,
    metadata: {
      expression: measurements.own.expression,
      window_method: measurements.own.method,
      unit: preview.unit,
      source_name: preview.sourceName,
      partial: preview.partial,
    },
    problems: preview.problems,
    warnings: preview.warnings,
    history: past && presentHistory(past, ownWindow.seconds, measurements.own.counts),
    alerts: (past?.alerts ?? []).slice(0, maxAlerts).map(({ tier, startedSeconds, endedSeconds, peak }) => ({
      ...presentTier(tier),
      started_at: iso(startedSeconds),
      ended_at: endedSeconds === null ? null : iso(endedSeconds),
      peak_burn_rate: peak,
    })),
    alerts_total: past?.alerts.length ?? null,
    alerts_start_time: past && iso(past.alertsFromSeconds),
    budget_exhausted_at: past?.exhaustedAtSeconds ? iso(past.exhaustedAtSeconds) : null,
    what_if: past && preview.windows && presentWhatIf(preview.windows, past),
    previewed_at: isoTime(nowMs),
  }
}

/** Presents the points of the own window, whose events add up to `counts`; null: it counts none. */
function presentHistory(past: PreviewHistory, ownSeconds: number, counts: Counts | null) {
  const { stepSeconds, steps } = stepsOfWindow(past, ownSeconds, past.countsEvents ? counts : null)
  return {
    start_time: iso(past.endSeconds - ownSeconds),
    end_time: iso(past.endSeconds),
    step_seconds: stepSeconds,
    resolution_seconds: past.stepSeconds,
    points: steps.map(({ startSeconds, ...step }) => ({ timestamp: iso(startSeconds), ...step })),
  }
}

function presentTier({ severity, longSeconds, shortSeconds, factor }: Tier) {
  return { severity, long_window: windowName(longSeconds), short_window: windowName(shortSeconds), factor }
}
