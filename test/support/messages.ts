import type { ChannelDeps, Message } from '../../src/notifications/channels/channel.ts'
import {
  type AlertData,
  type IncidentData,
  type SloData,
  forecastOf,
} from '../../src/notifications/notification-data.ts'
import type { Draft } from '../../src/notifications/outbox-store.ts'
import type { Recipients } from '../../src/notifications/recipients/recipients.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'

/** Creation time of all messages below. */
export const writtenAtMs = Date.parse('2026-03-01T12:00:00.000Z')

/** An alert of severity page: the error budget burns too fast. */
export function aMessage(overrides: Partial<Message> = {}): Message {
  return {
    id: 41,
    organizationId: 1,
    idempotencyKey: '0195f3a2-0000-7000-8000-000000000041',
    event: 'alert',
    isAboutRule: false,
    alertKey: 'slo-7-burn_rate:3600:300',
    threadKey: 'alert-31',
    alertType: 'burn_rate_too_fast',
    priority: 'critical',
    subject: 'Checkout availability: the error budget burns 16.2 times too fast',
    text: 'Over the last 1h the error budget burned at 16.2 (the limit is 14.4).\nOver the last 5m: 20.5.',
    createdAtMs: writtenAtMs,
    slo: { id: 7, data: someData(), link: 'https://nines.example/slos/7' },
    ...overrides,
  }
}

/** Acknowledgement of the same alert. */
export function anAcknowledgement(): Message {
  const acknowledged = { by: 'Ada', at: '2026-03-01T12:01:00.000Z', note: 'rolling back' }
  const data = someData({ alert: someAlert({ acknowledged }) })
  const { slo, subject, ...message } = aMessage()
  return {
    ...message,
    event: 'acknowledgement',
    subject: `Acknowledged by Ada: ${subject}`,
    text: 'Acknowledged by Ada: rolling back',
    slo: slo && { ...slo, data },
  }
}

/** Recovery from the same alert. */
export function aRecovery(overrides: Partial<Message> = {}): Message {
  const data = someData({ status: 'healthy', alert: someAlert({ ended_at: '2026-03-01T12:00:00.000Z' }) })
  return aMessage({
    id: 42,
    idempotencyKey: '0195f3a2-0000-7000-8000-000000000042',
    event: 'recovery',
    alertType: 'recovery',
    subject: 'Checkout availability: recovered',
    text: 'The error budget no longer burns too fast.',
    slo: { id: 7, data, link: 'https://nines.example/slos/7' },
    ...overrides,
  })
}

/** A manually sent notification about an SLO that has not been measured yet. */
export function aManualMessage(overrides: Partial<Message> = {}): Message {
  const measured = { current_value: null, error_budget_used: null, error_budget_remaining: null, measured_at: null }
  return aMessage({
    id: 43,
    idempotencyKey: '0195f3a2-0000-7000-8000-000000000043',
    event: 'message',
    alertKey: 'slo-7-manual',
    threadKey: 'notification-43',
    alertType: 'manual',
    priority: 'low',
    subject: 'Maintenance tonight',
    text: 'We move the database at 22:00.',
    slo: {
      id: 7,
      data: someData({ status: 'unknown', alert: null, ...measured }),
      link: 'https://nines.example/slos/7',
    },
    ...overrides,
  })
}

/** The message of `POST /notifications/test`: without an SLO, not in the history. */
export function aTestMessage(overrides: Partial<Message> = {}): Message {
  return aManualMessage({ id: null, subject: 'A test', text: 'It works.', slo: null, ...overrides })
}

/** A manual notification of SLO 1, to be queued for channel 1. */
export function aDraft(overrides: Partial<Draft> = {}): Draft {
  return {
    organization_id: 1,
    slo_id: 1,
    rule_id: null,
    channel_id: 1,
    alert_id: null,
    channel_type: 'webhook',
    event: 'message',
    alert_type: 'manual',
    priority: 'low',
    subject: 'subject',
    message: 'message',
    max_retries: 3,
    status: 'pending',
    data: someData({ alert: null }),
    ...overrides,
  }
}

export function someData(overrides: Partial<SloData> = {}): SloData {
  const data: Omit<SloData, 'forecast'> = {
    slo_name: 'Checkout availability',
    description: 'Orders that were taken',
    labels: { team: 'shop', tier: '1' },
    target: 99.9,
    time_window: '30d',
    status: 'critical',
    current_value: 99.87,
    error_budget_used: 130,
    error_budget_remaining: -30,
    error_budget_estimated: false,
    measured_at: '2026-03-01T12:00:00.000Z',
    alert: someAlert(),
    ...overrides,
  }
  return { forecast: forecastOf(data), ...data }
}

export function someAlert(overrides: Partial<AlertData> = {}): AlertData {
  return {
    name: 'burn_rate:3600:300',
    severity: 'page',
    began_at: '2026-03-01T11:58:00.000Z',
    ended_at: null,
    outage: null,
    acknowledged: null,
    threshold: null,
    burn_rate: { factor: 14.4, long_window: '1h', short_window: '5m', long: 16.2, short: 20.5 },
    ...overrides,
  }
}

/** An incident that was opened by `someAlert` and still fails. */
export function someIncident(overrides: Partial<IncidentData> = {}): IncidentData {
  return {
    id: 81,
    event: 'opened',
    severity: 'critical',
    began_at: '2026-03-01T11:58:00.000Z',
    recovered_at: null,
    is_up: false,
    close_reason: null,
    relapses: 0,
    since: '2026-03-01T11:58:00.000Z',
    link: 'https://nines.example/incidents/81',
    state: 'burning_fast',
    burn_rate: 171,
    recent: { seconds: 300, share: 0.4, bad_events: 1204, total_events: 3010 },
    cost: null,
    ...overrides,
  }
}

/**
 * Deps without limits: nothing is denied or throttled, all recipients are trusted, the clock stands at `writtenAtMs`, and there
 * is no SMTP server.
 */
export function channelDeps(overrides: Partial<ChannelDeps> = {}): ChannelDeps {
  return {
    outbound: createOutbound({ deny: [] }),
    clock: { now: () => writtenAtMs },
    smtp: { url: null, from: 'nines@localhost' },
    recipients: trusting,
    allowance: { take: () => null },
    publicUrl: () => 'https://nines.example',
    reportFile: async () => null,
    ...overrides,
  }
}

const trusting: Recipients = {
  mustConfirm: false,
  classify: async (_, members) => ({ members, outside: [], pending: [], declined: [] }),
  statuses: async (_, addresses) => addresses.map((address) => ({ address, status: 'confirmed' })),
  requestConfirmations: async () => {},
  isUser: async () => false,
}
