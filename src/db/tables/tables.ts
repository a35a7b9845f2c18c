import type { Generated, Insertable, Selectable } from 'kysely'
import type { Role } from '../../role.ts'
import type { CacheTables } from './cache-tables.ts'
import type { CollectionTables } from './collection-tables.ts'
import type { MeasurementTables } from './measurement-tables.ts'
import type { NotificationTables } from './notification-tables.ts'
import type { Flag, MetricType, Once, QueryType, QueryUnit, ThresholdOp } from './enums.ts'
import type { SloWindow } from '../../slos/arithmetic/windows.ts'

export type * from './enums.ts'

type Parts = CacheTables & CollectionTables & MeasurementTables & NotificationTables

/** Types for schema.sql; a test compares the two. */
export type Tables = Parts & {
  instance: { id: Once<number>; instance_id: string; seal_key_id: string }
  organizations: { id: Generated<number>; name: string; created_at: Once<number>; next_team_id: Generated<number> }
  teams: { organization_id: Once<number>; id: Once<number>; name: string; created_at: Once<number> }
  users: {
    id: Generated<number>
    organization_id: Once<number>
    email: string
    email_key: string
    name: string
    role: Role
    password_hash: string
    created_at: Once<number>
    updated_at: number
    email_confirmed_at: number | null
  }
  sessions: { id: Generated<number>; user_id: Once<number>; created_at: Once<number>; expires_at: number }
  refresh_tokens: { hash: string; session_id: Once<number>; created_at: Once<number>; used_at: number | null }
  orphaned_refresh_tokens: { hash: Once<string>; expires_at: Once<number> }
  api_tokens: {
    id: Generated<number>
    organization_id: Once<number>
    user_id: Once<number>
    name: string
    role: Role
    hash: Once<string>
    expires_at: number | null
    last_used_at: number | null
    created_at: Once<number>
  }
  password_resets: {
    hash: Once<string>
    user_id: Once<number | null>
    created_at: Once<number>
    expires_at: Once<number>
    used_at: number | null
  }
  invitations: {
    id: Generated<number>
    organization_id: Once<number>
    email: string
    email_key: string
    role: Role
    hash: Once<string>
    invited_by: number | null
    created_at: Once<number>
    expires_at: number
    accepted_at: number | null
    mailed_hash: Once<string | null>
  }
  email_confirmations: {
    hash: Once<string>
    user_id: Once<number | null>
    created_at: Once<number>
    expires_at: Once<number>
  }
  audit_log: {
    id: Generated<number>
    organization_id: Once<number>
    event: Once<string>
    outcome: Once<'success' | 'failure'>
    user_id: Once<number | null>
    email: Once<string | null>
    ip: Once<string>
    user_agent: Once<string>
    details: Once<string>
    created_at: Once<number>
    credential: Once<string | null>
  }
  oauth_clients: {
    id: Once<string>
    organization_id: Once<number>
    name: string
    secret_hash: string | null
    redirect_uris: string
    created_by: number | null
    created_at: Once<number>
  }
  oauth_codes: {
    hash: Once<string>
    client_id: Once<string>
    user_id: Once<number>
    redirect_uri: Once<string>
    code_challenge: Once<string>
    scopes: string
    expires_at: Once<number>
    used_at: number | null
  }
  oauth_tokens: {
    access_hash: Once<string>
    refresh_hash: Once<string>
    grant_id: Once<string>
    client_id: Once<string>
    user_id: Once<number>
    scopes: Once<string>
    access_scopes: Once<string>
    access_expires_at: Once<number>
    refresh_expires_at: Once<number>
    refresh_used_at: number | null
    created_at: Once<number>
  }
  login_attempts: {
    id: Generated<number>
    email_key: string
    ip: string
    attempted_at: number
    session_id: number | null
  }
  known_networks: { id: Generated<number>; user_id: Once<number>; network: Once<string>; last_at: number }
  data_sources: {
    id: Generated<number>
    organization_id: Once<number>
    name: string
    api_url: string
    sealed_auth: string | null
    is_active: Flag
    is_default: Flag
    last_check_at: number | null
    last_error: string | null
    created_at: Once<number>
    updated_at: number
  }
  slos: {
    id: Generated<number>
    organization_id: Once<number>
    team_id: number
    source_id: number | null
    name: string
    description: string
    target: number
    time_window: SloWindow
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
    created_by: number | null
    created_at: Once<number>
    updated_at: number
    labels: string
    revision: Generated<number>
    burn_rate_tiers: Generated<string | null>
    budget_thresholds: Generated<string | null>
  }
  source_queries: {
    id: Generated<number>
    organization_id: Once<number>
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
    created_at: Once<number>
    updated_at: number
  }
  executions: {
    id: Generated<number>
    organization_id: Once<number>
    slo_id: Once<number>
    query_id: number | null
    executed_at: number
    duration_ms: number
    status: 'success' | 'error'
    error: string | null
    result_samples: number
    metadata: string
    created_at: Once<number>
    forget_at: Once<number | null>
  }
}

export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

export type UserRow = Selectable<Tables['users']>
export type OrganizationRow = Selectable<Tables['organizations']>
export type TeamRow = Selectable<Tables['teams']>
export type InvitationRow = Selectable<Tables['invitations']>
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
export type NotificationRow = Selectable<Tables['notifications']>
export type AttemptRow = Selectable<Tables['notification_attempts']>
export type SilenceRow = Selectable<Tables['silences']>
export type ScrapeTargetRow = Selectable<Tables['scrape_targets']>
export type ProbeRow = Selectable<Tables['probes']>
