import { invalid } from '../errors.ts'
import type { ActingCredential, Origin } from '../origin.ts'
import { insertRow } from './statements/insert-row.ts'
import type { Db } from './open.ts'

/**
 * The events of the audit log: what happens to accounts, every change of permissions, of what is measured and of who is
 * notified, and requests refused for lack of permission.
 */
export const auditEvents = [
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
export type AuditEvent = (typeof auditEvents)[number]

/** The acting user, with origin and credential; no credential at a sign-in. `Caller` fits this type. */
export type Actor = {
  organizationId: number
  userId: number | null
  email: string | null
  origin: Origin
  credential?: ActingCredential
}

/** `details` holds no secrets: names and ids of what was changed, and the new values. */
type NewAuditEntry = { event: AuditEvent; outcome?: 'success' | 'failure'; details?: Record<string, unknown> }

/** Writes an entry. Call it in the transaction of the change that it records, so that neither exists without the other. */
export async function recordAudit(
  trx: Db,
  { organizationId, userId, email, origin, credential }: Actor,
  { event, outcome = 'success', details = {} }: NewAuditEntry,
  nowMs: number,
): Promise<void> {
  await insertRow(trx, 'audit_log', {
    organization_id: organizationId,
    event,
    outcome,
    user_id: userId,
    email,
    ip: origin.ip,
    user_agent: origin.userAgent,
    details: JSON.stringify(details),
    created_at: nowMs,
    credential: credential ? JSON.stringify(credential) : null,
  })
}

/** Writer of entries about rows of one kind. `detailsOf` gives the details that each of them has, without secrets. */
export function auditWriter<Row>(detailsOf: (row: Row) => Record<string, unknown>) {
  return (
    trx: Db,
    actor: Actor,
    event: AuditEvent,
    row: Row,
    also: Record<string, unknown>,
    nowMs: number,
  ): Promise<void> => recordAudit(trx, actor, { event, details: { ...detailsOf(row), ...also } }, nowMs)
}

/** Names of the fields that get another value by a change. */
export function changedFields<Row extends object>(row: Row, update: Partial<Row>): (keyof Row & string)[] {
  const names = Object.keys(update) as (keyof Row & string)[]
  return names.filter((name) => update[name] !== row[name]).toSorted()
}

/**
 * Compares an update with a row. `values`: the fields that it changes; `details`: the same for the audit log, each also with the
 * value before (`name_before`). Null if it changes nothing. Undefined fields stay; throws `invalid` if all are undefined.
 */
export function changesOf<Row extends object>(
  row: Row,
  update: { [Name in keyof Row]?: Row[Name] | undefined },
): { values: Partial<Row>; details: Record<string, unknown> } | null {
  const fields = Object.keys(update)
  if (fields.every((name) => update[name as keyof Row] === undefined)) {
    throw invalid('body', `must have at least one of ${fields.join(', ')}`)
  }
  const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined)) as Partial<Row>
  const names = changedFields(row, given)
  if (names.length === 0) return null
  const values = Object.fromEntries(names.map((name) => [name, given[name]])) as Partial<Row>
  const former = Object.fromEntries(names.map((name) => [`${name}_before`, row[name]]))
  return { values, details: { ...values, ...former } }
}
