import type { Generated, Insertable, Selectable } from 'kysely'
import type { Role } from '../../role.ts'
import type { TokenScope } from '../../origin.ts'
import type { ClockStyle } from '../../zone.ts'
import type { CacheTables } from './cache-tables.ts'
import type { CollectionTables } from './collection-tables.ts'
import type { MeasurementTables } from './measurement-tables.ts'
import type { NotificationTables } from './notification-tables.ts'
import type { Flag, MetricType, InsertOnly, QueryType, QueryUnit, ThresholdOp } from './enums.ts'
import type { SloWindow } from '../../slos/arithmetic/windows.ts'

export type * from './enums.ts'

type Parts = CacheTables & CollectionTables & MeasurementTables & NotificationTables

/** Types for schema.sql; a test compares the two. */
export type Tables = Parts & {
  instance: { id: InsertOnly<number>; instance_id: string; seal_key_id: string; version: string | null }
  organizations: {
    id: Generated<number>
    name: string
    created_at: InsertOnly<number>
    next_team_id: Generated<number>
    time_zone: string | null
    clock: ClockStyle | null
    second_factor_required: Generated<number>
  }
  teams: {
    organization_id: InsertOnly<number>
    id: InsertOnly<number>
    name: string
    created_at: InsertOnly<number>
    budget_policy: Generated<string>
  }
  users: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    email: string
    email_key: string
    name: string
    role: Role
    password_hash: string
    created_at: InsertOnly<number>
    updated_at: number
    email_confirmed_at: number | null
    time_zone: string | null
    clock: ClockStyle | null
    upgraded_from: string | null
  }
  sessions: {
    id: Generated<number>
    user_id: InsertOnly<number>
    created_at: InsertOnly<number>
    expires_at: number
    last_used_at: number
    ip: string
    user_agent: string
  }
  refresh_tokens: {
    hash: string
    session_id: InsertOnly<number>
    created_at: InsertOnly<number>
    used_at: number | null
  }
  external_identities: {
    issuer: InsertOnly<string>
    subject: InsertOnly<string>
    user_id: number
    created_at: InsertOnly<number>
    signed_in_at: number
  }
  external_sessions: {
    session_id: InsertOnly<number>
    ends_at: InsertOnly<number>
    id_token: InsertOnly<string | null>
  }
  second_factors: {
    user_id: InsertOnly<number>
    organization_id: InsertOnly<number>
    sealed_secret: string
    created_at: InsertOnly<number>
    confirmed_at: number | null
    last_step: number | null
  }
  recovery_codes: { user_id: InsertOnly<number>; hash: InsertOnly<string>; used_at: number | null }
  sign_in_challenges: {
    hash: InsertOnly<string>
    user_id: InsertOnly<number>
    created_at: InsertOnly<number>
    expires_at: InsertOnly<number>
    failures: number
  }
  orphaned_refresh_tokens: { hash: InsertOnly<string>; expires_at: InsertOnly<number> }
  api_tokens: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    user_id: InsertOnly<number>
    name: string
    role: Role
    scope: InsertOnly<TokenScope | null>
    hash: InsertOnly<string>
    expires_at: number | null
    last_used_at: number | null
    created_at: InsertOnly<number>
  }
  password_resets: {
    hash: InsertOnly<string>
    user_id: InsertOnly<number | null>
    created_at: InsertOnly<number>
    expires_at: InsertOnly<number>
    used_at: number | null
  }
  invitations: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    email: string
    email_key: string
    role: Role
    hash: InsertOnly<string>
    invited_by: number | null
    created_at: InsertOnly<number>
    expires_at: number
    accepted_at: number | null
    mailed_hash: InsertOnly<string | null>
  }
  email_confirmations: {
    hash: InsertOnly<string>
    user_id: InsertOnly<number | null>
    created_at: InsertOnly<number>
    expires_at: InsertOnly<number>
  }
  email_changes: {
    hash: InsertOnly<string>
    user_id: InsertOnly<number>
    email: InsertOnly<string>
    created_at: InsertOnly<number>
    expires_at: InsertOnly<number>
    withdrawn_at: number | null
  }
  audit_log: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    event: InsertOnly<string>
    outcome: InsertOnly<'success' | 'failure'>
    user_id: InsertOnly<number | null>
    email: InsertOnly<string | null>
    ip: InsertOnly<string>
    user_agent: InsertOnly<string>
    details: InsertOnly<string>
    created_at: InsertOnly<number>
    credential: InsertOnly<string | null>
  }
  oauth_clients: {
    id: InsertOnly<string>
    organization_id: InsertOnly<number>
    name: string
    secret_hash: string | null
    redirect_uris: string
    created_by: number | null
    created_at: InsertOnly<number>
  }
  oauth_codes: {
    hash: InsertOnly<string>
    client_id: InsertOnly<string>
    user_id: InsertOnly<number>
    redirect_uri: InsertOnly<string>
    code_challenge: InsertOnly<string>
    scopes: string
    expires_at: InsertOnly<number>
    used_at: number | null
  }
  oauth_tokens: {
    access_hash: InsertOnly<string>
    refresh_hash: InsertOnly<string>
    grant_id: InsertOnly<string>
    client_id: InsertOnly<string>
    user_id: InsertOnly<number>
    scopes: InsertOnly<string>
    access_scopes: InsertOnly<string>
    access_expires_at: InsertOnly<number>
    refresh_expires_at: InsertOnly<number>
    refresh_used_at: number | null
    granted_at: InsertOnly<number>
    created_at: InsertOnly<number>
  }
  login_attempts: {
    id: Generated<number>
    email_key: string
    ip: string
    attempted_at: number
    session_id: number | null
  }
  known_networks: {
    id: Generated<number>
    user_id: InsertOnly<number>
    network: InsertOnly<string>
    device: InsertOnly<string>
    last_at: number
  }
  data_sources: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    api_url: string
    sealed_auth: string | null
    is_active: Flag
    is_default: Flag
    last_check_at: number | null
    last_error: string | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  slos: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    team_id: number
    source_id: number | null
    name: string
    description: string
    target: number
    time_window: SloWindow
    time_zone: string | null
    metric_type: MetricType
    metric_query: string | null
    good_query: string | null
    bad_query: string | null
    total_query: string | null
    threshold: number | null
    threshold_op: ThresholdOp | null
    window_method: 'auto' | 'widen' | 'mean'
    query_unit: QueryUnit
    inferred_unit: 'ratio' | 'percent' | null
    active: Flag
    paused_at: number | null
    created_by: number | null
    created_at: InsertOnly<number>
    updated_at: number
    labels: string
    revision: Generated<number>
    burn_rate_tiers: Generated<string | null>
    budget_thresholds: Generated<string | null>
    runbook_url: Generated<string>
    owner: Generated<string>
    budget_policy: Generated<string>
    composite: Generated<string | null>
    service_hours: Generated<string | null>
    redefined_at: number | null
    resumed_at: number | null
  }
  source_queries: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: number
    source_id: number | null
    query_name: string
    source_query: string
    query_type: QueryType
    query_hash: string
    metric_labels: string
    evaluation_interval_seconds: number
    is_active: Flag
    next_run_at: number
    last_value: number | null
    last_value_at: number | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  executions: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number>
    query_id: number | null
    executed_at: number
    duration_ms: number
    status: 'success' | 'error'
    error: string | null
    result_samples: number
    metadata: string
    created_at: InsertOnly<number>
    forget_at: InsertOnly<number | null>
  }
}

export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

export type UserRow = Selectable<Tables['users']>
export type OrganizationRow = Selectable<Tables['organizations']>
export type TeamRow = Selectable<Tables['teams']>
export type InvitationRow = Selectable<Tables['invitations']>
export type CertificateRow = Selectable<Tables['certificates']>
export type DataSourceRow = Selectable<Tables['data_sources']>
export type SloRow = Selectable<Tables['slos']>
export type NewSlo = Insertable<Tables['slos']>
export type CheckpointRow = Selectable<Tables['checkpoints']>
export type StateRow = Selectable<Tables['slo_states']>
export type EvaluationRow = Selectable<Tables['evaluations']>
export type BackfillRow = Selectable<Tables['backfills']>
export type SourceQueryRow = Selectable<Tables['source_queries']>
export type ExecutionRow = Selectable<Tables['executions']>
export type NewExecution = Insertable<Tables['executions']>
export type ChannelRow = Selectable<Tables['channels']>
export type RecipientRow = Selectable<Tables['mail_recipients']>
export type RuleRow = Selectable<Tables['notification_rules']>
export type AlertRow = Selectable<Tables['alerts']>
export type IncidentRow = Selectable<Tables['incidents']>
export type IncidentEventRow = Selectable<Tables['incident_events']>
export type IncidentAccountRow = Selectable<Tables['incident_accounts']>
export type IncidentNoteRow = Selectable<Tables['incident_notes']>
export type NotificationRow = Selectable<Tables['notifications']>
export type AttemptRow = Selectable<Tables['notification_attempts']>
export type AnnotationRow = Selectable<Tables['annotations']>
export type ReportRow = Selectable<Tables['reports']>
export type ReportScheduleRow = Selectable<Tables['report_schedules']>
export type CorrectionRow = Selectable<Tables['corrections']>
export type SilenceRow = Selectable<Tables['silences']>
export type ScrapeTargetRow = Selectable<Tables['scrape_targets']>
export type ProbeRow = Selectable<Tables['probes']>
export type HeartbeatRow = Selectable<Tables['heartbeats']>
export type HeartbeatRunRow = Selectable<Tables['heartbeat_runs']>
