import type { OneIncident, SentNotification, SloIncident } from '../../../../src/web/page/api/history.ts'

export const nowMs = Date.parse('2026-11-22T14:00:00.000Z')

/** Time in ISO 8601, in minutes from `nowMs`. */
export function at(minutes: number): string {
  return new Date(nowMs + minutes * 60_000).toISOString()
}

/** An outage of eight minutes that goes on. */
export function incident(change: Partial<SloIncident> = {}): SloIncident {
  return {
    id: 1,
    slo_id: 1,
    slo_name: 'Checkout',
    severity: 'critical',
    state: 'down',
    began_at: at(-8),
    opened_at: at(-7),
    since: at(-8),
    recovered_at: null,
    closed_at: null,
    close_reason: null,
    closed_by: null,
    duration_seconds: 480,
    relapses: 0,
    reason: 'HTTP 503',
    cause: null,
    deploy: null,
    peak_burn_rate: 1000,
    burn_rate_now: 1000,
    acknowledged: null,
    silenced: false,
    silence: null,
    notified: 0,
    budget_percent: 40,
    budget_resolution_seconds: 60,
    excluded: null,
    ...change,
  }
}

/** A message about its opening that was delivered. */
export function sent(change: Partial<SentNotification> = {}): SentNotification {
  return {
    id: 1,
    alert_id: 1,
    channel_id: 1,
    channel_name: 'On call',
    channel_type: 'webhook',
    status: 'delivered',
    event: 'alert',
    incident_event: null,
    error_message: '',
    sent_at: null,
    created_at: at(-7),
    ...change,
  }
}

type IncidentAlert = OneIncident['data']['alerts'][number]

export function alert(change: Partial<IncidentAlert> = {}): IncidentAlert {
  return {
    id: 1,
    name: 'burn_rate:3600:300',
    kind: 'burn_rate',
    long_window: '1h',
    short_window: '5m',
    threshold_percent: null,
    condition: null,
    alert_type: 'burn_rate_too_fast',
    reason: null,
    severity: 'page',
    began_at: at(-7),
    ended_at: null,
    peak_burn_rate: 171,
    ...change,
  }
}
