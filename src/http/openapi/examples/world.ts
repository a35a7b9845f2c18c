/**
 * Organization with one SLO, used by all examples. Of 10,800,000 requests in 30 days (250 a minute), 4,320 failed: 180 a minute
 * from 10:30 to 10:54 on 2026-11-19. That is 40 % of the error budget of a target of 99.9.
 */

/** Time of all responses. */
export const now = '2026-11-21T10:00:12.000Z'
/** Whole minute that was evaluated last. */
export const measuredAt = '2026-11-21T10:00:00.000Z'
/** Time at which everything was created. */
export const createdAt = '2026-10-01T08:00:00.000Z'
/** Time at which the target changed to 99.9. */
export const changedAt = '2026-11-19T09:40:00.000Z'
/** Start of the 30 days that end at `measuredAt`. */
export const windowStart = '2026-10-22T10:00:00.000Z'
/** Expiry of an access token: an hour later. */
export const expiresAt = '2026-11-21T11:00:12.000Z'

const good_query = 'sum(rate(http_requests_total{job="checkout", code!~"5.."}[5m]))'
const total_query = 'sum(rate(http_requests_total{job="checkout"}[5m]))'

export const slo = {
  id: 1,
  name: 'Checkout answers',
  description: 'Answers of the checkout that are no server errors.',
  runbook_url: 'https://wiki.example.com/runbooks/checkout',
  owner: 'Payments',
  service_hours: null,
  budget_policy: [{ percent_left: 25, text: 'Freeze of risky deploys', url: 'https://wiki.example.com/policy' }],
  time_zone: null,
  metric_type: 'availability',
  metric_query: `(${good_query}) / (${total_query})`,
  good_query,
  total_query,
  updated_at: changedAt,
}
/** Choices of the SLO form from which its queries are made. */
export const picks = {
  kind: 'requests',
  metric: 'http_requests_total',
  filters: [{ label: 'job', op: '=', value: 'checkout' }],
  counts: 'good',
  matching: [{ label: 'code', op: '!~', value: '5..' }],
  range: '5m',
}
/** Expression that is sent to the source for this SLO over a window in seconds. */
export const sentExpression = (seconds: number) =>
  `(sum(increase(http_requests_total{job="checkout", code!~"5.."}[${seconds}s]))) / (sum(increase(http_requests_total{job="checkout"}[${seconds}s])))`

/** Error budget in percent of all requests. */
export const budget = { total: 0.1, used: 0.04, remaining: 0.06 }
export const eventsOfWindow = { good_events: 10_795_680, total_events: 10_800_000, window_seconds: 2_592_000 }

export const tier = { long_window: '1h', short_window: '5m', factor: 14.4, severity: 'page' }
/** The same tier as it is now: nothing has failed in its windows. */
export const tierBelowFactor = {
  ...tier,
  min_events: 0,
  enabled: true,
  long_burn_rate: 0,
  short_burn_rate: 0,
  long_bad_events: 0,
  firing: false,
}

/** Burn-rate alert of the tier during the incident, and the status alert. */
export const alert = {
  id: 431,
  name: 'burn_rate:3600:300',
  kind: 'burn_rate',
  long_window: '1h',
  short_window: '5m',
  threshold_percent: null,
  condition: null,
  severity: 'page',
  began_at: '2026-11-19T10:32:00.000Z',
  ended_at: '2026-11-19T10:59:00.000Z',
}
export const statusAlert = {
  id: 430,
  name: 'status',
  kind: 'status',
  long_window: null,
  short_window: null,
  threshold_percent: null,
  condition: null,
  severity: 'warning',
  began_at: '2026-11-19T10:31:00.000Z',
  ended_at: '2026-11-19T11:55:00.000Z',
}
/** Acknowledgement of the burn-rate alert. */
export const acknowledged = {
  by: 'Grace Hopper',
  at: '2026-11-19T10:38:00.000Z',
  note: 'The new release; rolling back',
}

export const incident = {
  key: '1795084200',
  began_at: '2026-11-19T10:30:00.000Z',
  ended_at: '2026-11-19T10:54:00.000Z',
  ongoing: false,
  duration_seconds: 1440,
  failing_seconds: 1440,
  stretches: [{ began_at: '2026-11-19T10:30:00.000Z', ended_at: '2026-11-19T10:54:00.000Z' }],
  resolution_seconds: 60,
  bad_events: 4320,
  total_events: 6000,
  peak_percent: 72,
  budget_used_percent: 40,
}

/** The incident that the burn-rate alert opened. */
export const openIncident = {
  id: 81,
  severity: 'critical',
  state: 'burning_fast',
  began_at: '2026-11-19T10:30:00.000Z',
  opened_at: '2026-11-19T10:32:07.000Z',
  since: '2026-11-19T10:30:00.000Z',
  excluded: null,
}

/** The deploy before the incident. */
export const annotation = {
  id: 51,
  title: 'deploy checkout v1.4.2',
  kind: 'deploy',
  service: 'checkout',
  labels: { service: 'checkout' },
  version: 'v1.4.2',
  url: 'https://ci.example.com/runs/812',
  text: '',
  at: '2026-11-19T10:28:00.000Z',
  created_at: '2026-11-19T10:28:03.000Z',
}

/** The correction that excludes a move of the database. */
export const correction = {
  id: 12,
  slo_ids: [slo.id],
  team_id: null,
  labels: null,
  from: '2026-11-19T10:00:00.000Z',
  to: '2026-11-19T10:40:00.000Z',
  rrule: null,
  duration_seconds: null,
  time_zone: null,
  category: 'planned_maintenance',
  text: 'Moving the database',
  silence_id: null,
}

export const silence = {
  id: 9,
  starts_at: '2026-11-22T22:00:00.000Z',
  until: '2026-11-23T00:00:00.000Z',
  comment: 'Moving the database',
}

export const channel = { id: 1, name: 'On call', channel_type: 'webhook' }
export const rule = {
  id: 21,
  alert_type: 'burn_rate_too_fast',
  severity: 'page',
  priority: 'critical',
  max_retries: 12,
  min_interval_seconds: 0,
}
/** Notifications of the alert and of its recovery. */
export const notification = {
  id: 2207,
  event: 'alert',
  status: 'delivered',
  error_message: '',
  created_at: '2026-11-19T10:32:07.000Z',
}
export const recovery = { ...notification, id: 2208, event: 'recovery', created_at: '2026-11-19T10:59:07.000Z' }
