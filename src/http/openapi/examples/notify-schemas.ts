import type { Schema } from '../schemas.ts'
import { mask } from '../../secrets.ts'
import { acknowledged, alert, channel, notification, now, recovery, rule, silence, slo } from './world.ts'

const channelFields = { channel_id: channel.id, channel_name: channel.name, channel_type: channel.channel_type }
const { id: silenceId, ...silenceTimes } = silence
const notifications = [
  { ...notification, ...channelFields },
  { ...recovery, ...channelFields },
]
/** The alert as listed after it has ended. */
export const alertFields = {
  ...alert,
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

/** Examples of alerts, rules, silences, channels and notifications, by schema title. Other fields come from `fields`. */
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
        recipients: [{ channel_id: channel.id, by: 'rule', rule_id: rule.id, priority: 'critical' }],
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
