import type { Schema } from '../schemas.ts'
import {
  acknowledged,
  annotation,
  alert,
  budget,
  changedAt,
  correction,
  eventsOfWindow,
  incident,
  measuredAt,
  now,
  tierBelowFactor,
  picks,
  sentExpression,
  slo,
  statusAlert,
  tier,
} from './world.ts'

const period = {
  starts_at: '2026-09-30T22:00:00.000Z',
  ends_at: '2026-10-31T23:00:00.000Z',
  time_window: 'month',
  sli: 99.96,
  met: true,
  percentage_used: 40,
  events: { good: 10_795_680, total: 10_800_000 },
  excluded: null,
  note: null,
  frozen_at: '2026-10-31T23:15:05.000Z',
  recomputed_at: null,
}

const tierFields = { ...tier, min_events: 0, budget_percent: 2 }
/** 250 requests a minute, as a rate per second. */
const rates = [1_795_255_140, 1_795_255_200].map((seconds) => [seconds, '4.166666666666667'])
const label = {
  label: 'route',
  selects_failures: false,
  explains: true,
  values_needed: 1,
  excess_percent: 22,
  values: [
    { value: '/pay', bad_events: 4104, total_events: 4380, failures_percent: 95, traffic_percent: 73 },
    { value: '/cart', bad_events: 216, total_events: 1620, failures_percent: 5, traffic_percent: 27 },
  ],
}
const currentWindow = {
  time_window: '1h',
  start_time: '2026-11-21T09:00:00.000Z',
  sli: 100,
  status: 'healthy',
  query_metrics: { good_events: 15_000, total_events: 15_000, window_seconds: 3600 },
}
const user = { id: 1, name: 'Ada Lovelace' }

/** Examples of SLOs, their state, budgets, incidents and query results, by schema title. Fields left out come from the table in `fields.ts`. */
export const sloSchemas: Record<string, Schema> = {
  Alerting: {
    burn_rate_tiers: [{ ...tierFields, enabled: true }],
    burn_rate_tiers_are_standard: false,
    budget_thresholds: [50, 10],
    budget_thresholds_are_standard: false,
  },
  AvailabilityTrend: {
    period: '24h',
    step: '1h',
    start_time: '2026-11-20T10:00:00.000Z',
    points: [{ timestamp: '2026-11-21T09:00:00.000Z', avg_sli: 1 }],
    metadata: { cached: false },
  },
  Backfill: {
    status: 'done',
    progress: 1,
    chunks: 21,
    chunks_done: 21,
    slices: 5138,
    updated_at: '2026-10-01T08:00:04.000Z',
  },
  CalculationResult: {
    time_window: '24h',
    start_time: '2026-11-20T10:00:00.000Z',
    status: 'healthy',
    error_budget: { ...budget, coverage: 1 },
    query_metrics: { good_events: 360_000, total_events: 360_000, window_seconds: 86_400 },
    metadata: { window_method: 'widen', cached: false },
    coverage: 1,
    query_executions: [{}],
  },
  CreatedSlo: { ...slo },
  EvaluationList: {
    evaluations: [{ evaluated_at: measuredAt, status: 'healthy', duration_ms: 84, worst_status: 'healthy' }],
    page_size: 1,
    total: 3688,
    has_next: true,
  },
  Execution: {
    id: 90_211,
    execution_time: measuredAt,
    execution_duration_ms: 12.4,
    status: 'success',
    result_samples: 1,
    created_at: now,
    metadata: {
      time_range: '24h',
      start_time: '2026-11-20T10:00:00.000Z',
      end_time: measuredAt,
      step_seconds: null,
      part: 'sli',
      window_method: 'widen',
    },
  },
  SloChecks: {
    next_at: '2026-11-21T10:00:30.000Z',
    checks: [{ at: now, probe: 'site', ok: false, duration_ms: 8.4, error: 'HTTP 503, expected 2xx' }],
  },
  IncidentBreakdown: { unit: 'events', ...incident, possible: true, labels: [label] },
  Incidents: {
    unit: 'events',
    budget_used_percent: 40,
    background_percent: 0,
    incidents: [{ id: 81, ...incident, cause: { label: 'route', value: '/pay' } }],
  },
  ListedSlo: { ...slo },
  Overview: {
    team_policies: [{ team_id: 1, budget_policy: slo.budget_policy }],
    slos: [
      {
        ...slo,
        status: 'healthy',
        unit: 'events',
        burn: { state: 'calm', rate: 0, window_seconds: 3600 },
        firing: [],
        days: [...Array.from({ length: 27 }, () => 0), 1200, 0, 0],
      },
    ].map(({ id, name, description, ...rest }) => ({
      id,
      name,
      description,
      status: rest.status,
      unit: rest.unit,
      burn: rest.burn,
      firing: rest.firing,
      days: rest.days,
    })),
    days_end: '2026-11-22T00:00:00.000Z',
  },
  PicksResult: { picks },
  PreviewResult: {
    status: 'healthy',
    current: currentWindow,
    own: { status: 'healthy', query_metrics: eventsOfWindow },
    error_budget: budget,
    metadata: { expression: sentExpression(2_592_000), window_method: 'widen' },
    problems: [],
    history: {
      step_seconds: 14_400,
      points: [
        { timestamp: '2026-11-19T10:00:00.000Z', sli: 92.8, good: 55_680, total: 60_000 },
        { timestamp: '2026-11-19T14:00:00.000Z', sli: 100, good: 60_000, total: 60_000 },
      ],
    },
    alerts: [{ ...tier, started_at: alert.began_at, ended_at: alert.ended_at, peak_burn_rate: 288 }],
    alerts_total: 1,
    alerts_start_time: '2026-10-22T10:00:00.000Z',
    what_if: null,
    previewed_at: now,
  },
  QueryResult: {
    query_result: {
      result_type: 'matrix',
      result: [{ metric: {}, value: rates.at(-1) ?? null, values: rates }],
    },
    status: 'success',
    metadata: { time_range: '1h', start_time: '2026-11-21T09:00:00.000Z', step_seconds: 60, cached: false },
  },
  RealTimeMetrics: {
    metrics: [
      {
        current_status: 'healthy',
        status: 'healthy',
        burn_rates: [tierBelowFactor],
        trends: { '24h_change': 0, '7d_change': 0 },
        updated_at: measuredAt,
        last_measured: null,
      },
    ],
  },
  SloBudget: {
    period: null,
    composite: null,
    policy: null,
    excluded: null,
    status: 'healthy',
    error_budget: budget,
    events: { good: 10_795_680, total: 10_800_000, bad: 4320, allowed_bad: 10_800, remaining_bad: 6480 },
    minutes: { allowed: 43.2, used: 17.28, remaining: 25.92 },
    burn_down: [
      { timestamp: '2026-11-19T10:00:00.000Z', remaining_percent: 100, ideal_percent: 6.6666666667 },
      { timestamp: measuredAt, remaining_percent: 60, ideal_percent: 0 },
    ],
    calendar: [
      {
        starts_at: '2026-12-19T00:00:00.000Z',
        ends_at: '2026-12-20T00:00:00.000Z',
        gives_back_percent: 40,
        remaining_after_percent: 100,
      },
    ],
    forecast: {
      exhausted: false,
      exhausts_at: null,
      burn_rate: 0,
      basis: 'the burn rate of the last 24h',
      basis_window: '24h',
      basis_seconds: 86_400,
    },
  },
  SloBurnRates: { tiers: [{ ...tierBelowFactor, ...tierFields }] },
  SloChanges: {
    changes: [
      {
        id: 88,
        event: 'changed',
        new_revision: false,
        changed_at: changedAt,
        changed_by: 1,
        changed_by_name: user.name,
        fields: [{ field: 'target', before: 99.5, after: 99.9 }],
      },
    ],
    page_size: 1,
    total: 2,
    has_next: true,
  },
  SloPeriods: { periods: [period], page_size: 1, total: 1 },
  SloPeriod: period,
  CreatedCalendarFeed: {
    url: 'https://slo.example.com/calendar/5f2a7c0e9d1b4f6a8c3e7d2b1a0f9e8d.ics',
    created_at: '2026-11-19T12:00:00.000Z',
  },
  Correction: correction,
  CorrectionPreview: {
    slos: [
      {
        slo_id: slo.id,
        slo_name: slo.name,
        seconds: 2400,
        excluded_good: 10_680,
        excluded_total: 15_000,
        resolution: '1m',
        sli: 99.96,
        sli_corrected: 100,
        percentage_used: 40,
        percentage_used_corrected: 0,
      },
    ],
    slo_count: 1,
  },
  SloSeries: {
    start_time: '2026-11-19T10:00:00.000Z',
    end_time: '2026-11-19T12:00:00.000Z',
    step_seconds: 3600,
    points: [
      { timestamp: '2026-11-19T10:00:00.000Z', good: 10_680, total: 15_000, sli: 71.2 },
      { timestamp: '2026-11-19T11:00:00.000Z', good: 15_000, total: 15_000, sli: 100 },
    ],
  },
  AnnotationCost: {
    data: {
      annotation_id: annotation.id,
      complete: true,
      slo_count: 1,
      slos: [
        {
          slo_id: slo.id,
          slo_name: slo.name,
          unit: 'events',
          next_deploy: { id: 52, version: 'v1.4.3', at: '2026-11-19T11:28:00.000Z' },
          complete: true,
          resolution: '1m',
          after: {
            start_time: annotation.at,
            end_time: '2026-11-19T11:28:00.000Z',
            good: 10_680,
            bad: 4320,
            budget_percent: 40,
            coverage: 1,
          },
          before: {
            start_time: '2026-11-19T09:28:00.000Z',
            end_time: annotation.at,
            good: 15_000,
            bad: 0,
            budget_percent: 0,
            coverage: 1,
          },
        },
      ],
    },
  },
  Annotation: { ...annotation, slo_count: 1 },
  ListedAnnotation: annotation,
  SloWithNames: { ...slo, policy_in_force: { source: 'slo', lines: slo.budget_policy }, silence: null, picks },
  Timeline: {
    alerts: [{ ...alert, acknowledged_at: acknowledged.at, acknowledged_by: acknowledged.by }, statusAlert],
    silences: [],
    annotations: [
      { id: annotation.id, kind: 'deploy', title: annotation.title, url: annotation.url, at: annotation.at },
    ],
    corrections: [
      {
        id: correction.id,
        category: correction.category,
        text: correction.text,
        from: correction.from,
        to: correction.to,
      },
    ],
    changes: [{ id: 88, event: 'changed', changed_at: changedAt, changed_by_name: user.name, fields: ['target'] }],
  },
}
