import type { Schema } from '../schemas.ts'
import { mask } from '../../secrets.ts'
import {
  acknowledged,
  alert,
  channel,
  notification,
  now,
  openIncident,
  recovery,
  rule,
  annotation,
  silence,
  slo,
  statusAlert,
} from './world.ts'

const channelFields = { channel_id: channel.id, channel_name: channel.name, channel_type: channel.channel_type }
const { id: silenceId, ...silenceTimes } = silence
const notifications = [
  { ...notification, ...channelFields },
  { ...recovery, ...channelFields },
]
/** The alert as listed after it has ended. */
export const alertFields = {
  ...alert,
  incident_id: openIncident.id,
  reason: null,
  state: 'ended',
  duration_seconds: 1620,
  acknowledged,
  silence: null,
  notified: 2,
  peak_burn_rate: 288,
  burn_rate: null,
  budget_percent: 36.6666666667,
  budget_resolution_seconds: 60,
  notifications,
}

/** The incident of the alert as listed after it has been closed. */
const incidentFields = {
  ...openIncident,
  state: 'closed',
  recovered_at: '2026-11-19T10:54:00.000Z',
  closed_at: '2026-11-19T11:09:00.000Z',
  close_reason: 'recovered',
  closed_by: null,
  duration_seconds: 1440,
  relapses: 0,
  reason: null,
  peak_burn_rate: 720,
  burn_rate_now: null,
  cause: {
    label: 'route',
    value: '/checkout',
    failures_percent: 100,
    traffic_percent: 32,
    text: 'route=/checkout has 100 % of the failures with 32 % of the traffic',
  },
  deploy: { id: annotation.id, title: annotation.title, url: annotation.url, seconds_before: 120 },
  acknowledged,
  silence: null,
  notified: 2,
  budget_percent: 40,
  budget_resolution_seconds: 60,
}
const incidentAlerts = [
  { ...statusAlert, alert_type: 'warning', reason: null, peak_burn_rate: null },
  { ...alert, alert_type: 'burn_rate_too_fast', reason: null, peak_burn_rate: 288 },
]
const account = {
  text: 'v1.4.2 sent all orders to one shard.\n\n- Rolled back at 10:50',
  url: 'https://wiki.example.com/incidents/81',
  version: 2,
  by: 'Grace Hopper',
  updated_at: now,
}
/** The incident with its alerts, history, notes and notifications, as `GET /incidents/:id` has it. */
const incidentDetail = {
  ...incidentFields,
  alerts: incidentAlerts,
  history: [{ event: 'acknowledged', ...acknowledged }],
  notes: [{ id: 7, by: 'Grace Hopper', note: 'The new release; rolled back at 10:50', created_at: now }],
  account,
  notifications: notifications.map((one, index) => {
    const events = ['opened', 'recovered']
    return { ...one, alert_id: alert.id, incident_event: events[index] ?? null, sent_at: one.created_at }
  }),
  not_notified: [
    {
      channel_id: 2,
      channel_name: 'Team room',
      channel_type: 'slack',
      reason: 'no_rule',
      by: null,
      until: null,
      message: null,
    },
  ],
}

/** Examples of alerts, incidents, rules, silences, channels and notifications, by schema title. Fields left out come from the table in `fields.ts`. */
export const notificationSchemas: Record<string, Schema> = {
  AlertAnswer: { data: alertFields },
  AlertList: { alerts: [alertFields], page_size: 50 },
  AlertTimeline: {
    start_time: '2026-11-14T10:00:12.000Z',
    end_time: now,
    alerts: [{ ...alert, acknowledged_at: acknowledged.at, notifications }],
    silences: [],
  },
  AttemptList: {
    attempts: [
      { id: 3301, attempted_at: '2026-11-19T10:32:08.000Z', duration_ms: 113, outcome: 'delivered', status_code: 200 },
    ],
  },
  Channel: {
    ...channel,
    product: null,
    configuration: { webhook_url: mask },
    config: { webhook_url: mask },
    is_default: false,
    max_retries: 3,
    health: { status: 'healthy', consecutive_failures: 0, last_success_at: recovery.created_at },
  },
  Coverage: {
    slos: [{ id: slo.id, name: slo.name }],
    groups: [
      {
        ...channelFields,
        channel_enabled: true,
        ...rule,
        by: 'rule',
        selector: null,
        rule_ids: [rule.id],
        slo_ids: [slo.id],
      },
    ],
    uncovered: [],
  },
  IncidentAccountAnswer: { data: account },
  IncidentAnswer: { data: incidentDetail },
  IncidentList: {
    incidents: [incidentFields],
    open_unacknowledged: 0,
    open_by_state: { down: 1, burning_fast: 0, burning: 0, recovering: 0, unknown: 0 },
    page_size: 50,
  },
  ListedRule: { ...rule, channel: { ...channel, enabled: true, health: 'healthy' } },
  Notification: {
    ...notification,
    subject: 'Page: Checkout answers burns its error budget 24 times as fast as it may',
    message: 'Checkout answers burns its error budget too fast.',
    sent_at: '2026-11-19T10:32:08.000Z',
    delivered_at: '2026-11-19T10:32:08.000Z',
    retry_count: 0,
    idempotency_key: '0193443c-3d58-7c6e-9c7d-2f1e5a8b4c60',
    metadata: { slo_name: slo.name, target: 99.9 },
    updated_at: '2026-11-19T10:32:08.000Z',
  },
  Rule: rule,
  Recipients: {
    channels: [channel],
    causes: [
      {
        alert_type: 'burn_rate_too_fast',
        severity: 'page',
        recipients: [{ channel_id: channel.id, by: 'rule', rule_id: rule.id, selector: null, priority: 'critical' }],
      },
    ],
  },
  RuleList: { page_size: 100 },
  Silence: {
    id: silenceId,
    slo_id: null,
    slo_name: null,
    labels: { team: 'payments' },
    state: 'pending',
    ...silenceTimes,
    created_at: now,
  },
  TemplatePreviewed: {
    data: {
      subject: 'Checkout answers burns 24 times too fast',
      message: 'Checkout answers burns its error budget too fast.',
      defaults: {
        subject: 'Page: Checkout answers burns its error budget 24 times as fast as it may',
        message: 'Checkout answers burns its error budget too fast.',
      },
      problems: [],
      placeholders: [{ name: 'slo_name', description: 'the name of the SLO', value: slo.name }],
      based_on: { notification_id: notification.id, created_at: notification.created_at },
    },
  },
}
