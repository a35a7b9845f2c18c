/** Events that the audit log has. */
export const events = [
  'account_created',
  'login',
  'logout',
  'session_ended',
  'token_refresh',
  'password_change',
  'password_reset_request',
  'password_reset',
  'email_confirmed',
  'email_released',
  'email_change_requested',
  'email_changed',
  'identity_linked',
  'second_factor_enabled',
  'second_factor_disabled',
  'recovery_codes_created',
  'profile_changed',
  'user_role_changed',
  'user_removed',
  'invitation_created',
  'invitation_revoked',
  'organization_changed',
  'team_created',
  'team_changed',
  'team_deleted',
  'api_token_created',
  'api_token_revoked',
  'oauth_client_created',
  'oauth_client_deleted',
  'oauth_consent',
  'oauth_token_revoked',
  'source_created',
  'source_changed',
  'source_deleted',
  'channel_created',
  'channel_changed',
  'channel_deleted',
  'silence_created',
  'silence_changed',
  'silence_ended',
  'correction_created',
  'correction_changed',
  'correction_deleted',
  'calendar_feed_created',
  'calendar_feed_revoked',
  'slo_period_recomputed',
  'annotation_created',
  'annotation_changed',
  'annotation_deleted',
  'report_requested',
  'report_deleted',
  'report_schedule_created',
  'report_schedule_changed',
  'report_schedule_deleted',
  'alert_acknowledged',
  'acknowledgement_changed',
  'acknowledgement_withdrawn',
  'incident_acknowledged',
  'incident_noted',
  'incident_account_written',
  'incident_account_deleted',
  'incident_closed',
  'target_created',
  'target_changed',
  'target_deleted',
  'probe_created',
  'probe_changed',
  'probe_deleted',
  'heartbeat_created',
  'heartbeat_changed',
  'heartbeat_deleted',
  'ping_key_created',
  'samples_imported',
  'permission_denied',
  'slo_created',
  'slo_changed',
  'slo_deleted',
  'slo_restored',
  'slo_paused',
  'slo_resumed',
  'source_query_created',
  'source_query_changed',
  'source_query_deleted',
  'rule_created',
  'rule_changed',
  'rule_deleted',
  'cache_config_changed',
] as const

/** Name of an event: `Api token created`. */
export function eventLabel(event: string): string {
  const text = event.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Filter = { event: string; outcome: string; person: string; object: string; from: string; to: string }

const dayMs = 86_400_000

/** Query parameters of the API for a filter. The day `to` is included. */
export function auditQuery({ event, outcome, person, object, from, to }: Filter): string {
  const query = new URLSearchParams()
  if (event !== '') query.set('event', event)
  if (outcome !== '') query.set('outcome', outcome)
  if (person !== '') query.set('user_id', person)
  if (object.trim() !== '') query.set('object', object.trim())
  for (const [name, day, addedMs] of [
    ['from', from, 0],
    ['to', to, dayMs],
  ] as const) {
    const ms = Date.parse(`${day}T00:00:00Z`)
    if (Number.isFinite(ms)) query.set(name, new Date(ms + addedMs).toISOString())
  }
  return query.toString()
}

/** Details of an entry, a line each: `role: viewer → admin` where `role_before` is known, and `old → new` of changes. */
export function detailLines(details: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (name.endsWith('_before') && name.slice(0, -7) in details) return []
    const previous = details[`${name}_before`]
    return [
      previous === undefined ? `${name}: ${valueText(value)}` : `${name}: ${valueText(previous)} → ${valueText(value)}`,
    ]
  })
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
