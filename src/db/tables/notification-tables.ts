import type { ColumnType, Generated } from 'kysely'
import type {
  AlertSeverity,
  AnnotationKind,
  AttemptOutcome,
  Cause,
  Flag,
  IncidentCloseReason,
  IncidentEvent,
  IncidentSeverity,
  IncidentState,
  IncidentStep,
  InsertOnly,
  ListKind,
  NotificationEvent,
  NotificationStatus,
  Priority,
  RecipientStatus,
  ReportInterval,
  ReportStatus,
  RulePriority,
} from './enums.ts'
import type { TierSeverity } from '../../slos/arithmetic/burn-rates.ts'

/** Tables of alerts and of notifications. */
export type NotificationTables = {
  channels: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    channel_type: string
    sealed_configuration: string
    enabled: Flag
    is_default: Generated<Flag>
    max_retries: number
    failures: number
    failing_since: number | null
    last_error: string | null
    last_success_at: number | null
    paused_until: number | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  mail_recipients: {
    organization_id: InsertOnly<number>
    address_key: InsertOnly<string>
    status: RecipientStatus
    token: InsertOnly<string>
    request_count: number
    requested_at: number | null
  }
  notification_rules: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number | null>
    selector: ColumnType<string | null, string | null | undefined, string | null>
    channel_id: InsertOnly<number>
    alert_type: string
    cause: InsertOnly<Cause>
    severity: TierSeverity | null
    priority: RulePriority
    subject: string | null
    message: string | null
    max_retries: number
    min_interval_seconds: number
    enabled: Flag
    created_at: InsertOnly<number>
    updated_at: number
  }
  incidents: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number>
    severity: IncidentSeverity
    state: IncidentState
    began_at: InsertOnly<number>
    opened_at: InsertOnly<number>
    since: number
    recovered_at: number | null
    closed_at: number | null
    close_reason: IncidentCloseReason | null
    closed_by_name: string | null
    relapses: number
    reason: InsertOnly<string | null>
    usual_events: InsertOnly<number | null>
    peak_burn_rate: number | null
    cause: string | null
    acknowledged_at: number | null
    acknowledged_by: number | null
    acknowledged_by_name: string | null
    acknowledgement_note: string | null
  }
  incident_notes: {
    id: Generated<number>
    incident_id: InsertOnly<number>
    user_id: number | null
    user_name: InsertOnly<string>
    note: InsertOnly<string>
    created_at: InsertOnly<number>
  }
  incident_accounts: {
    incident_id: InsertOnly<number>
    text: string
    url: string
    version: number
    user_id: number | null
    user_name: string
    updated_at: number
  }
  incident_events: {
    id: Generated<number>
    incident_id: InsertOnly<number>
    event: InsertOnly<IncidentStep>
    at: InsertOnly<number>
    user_name: InsertOnly<string | null>
    note: string | null
  }
  alerts: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number | null>
    name: InsertOnly<string>
    severity: AlertSeverity
    began_at: InsertOnly<number>
    ended_at: number | null
    reason: ColumnType<string | null, string | null | undefined, string | null>
    peak_burn_rate: number | null
    incident_id: number | null
    acknowledged_at: number | null
    acknowledged_by: number | null
    acknowledged_by_name: string | null
    acknowledgement_note: string | null
  }
  notifications: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number | null>
    rule_id: InsertOnly<number | null>
    channel_id: InsertOnly<number>
    alert_id: InsertOnly<number | null>
    incident_id: InsertOnly<number | null>
    incident_event: InsertOnly<IncidentEvent | null>
    relapse: InsertOnly<number | null>
    channel_type: InsertOnly<string>
    event: InsertOnly<NotificationEvent>
    alert_type: InsertOnly<string>
    status: NotificationStatus
    priority: Priority
    subject: string
    message: string
    metadata: string
    content_hash: string
    idempotency_key: InsertOnly<string>
    retry_count: number
    max_retries: number
    error_message: string
    next_attempt_at: number
    leased_until: number | null
    sealed_configuration: string | null
    sent_at: number | null
    delivered_at: number | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  notification_incidents: {
    notification_id: InsertOnly<number>
    incident_id: InsertOnly<number>
    alert_id: number
    rule_id: number | null
    relapse: number
    kind: InsertOnly<ListKind>
  }
  notification_attempts: {
    id: Generated<number>
    notification_id: InsertOnly<number>
    attempted_at: InsertOnly<number>
    duration_ms: InsertOnly<number>
    outcome: InsertOnly<AttemptOutcome>
    status_code: InsertOnly<number | null>
    error: InsertOnly<string | null>
    retry_at: InsertOnly<number | null>
  }
  silences: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_id: InsertOnly<number | null>
    labels: InsertOnly<string | null>
    starts_at: number
    until: number
    comment: string
    created_by: number | null
    created_at: InsertOnly<number>
  }
  annotations: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    kind: AnnotationKind
    labels: string
    version: string
    url: string
    text: string
    at: number
    created_by: number | null
    created_at: InsertOnly<number>
  }
  report_schedules: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    interval: ReportInterval
    time_zone: string
    selector: string
    channel_ids: string
    made_until: number
    created_by: number | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  reports: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    schedule_id: number | null
    name: string
    interval: ReportInterval
    time_zone: string
    selector: string
    starts_at: number
    ends_at: number
    status: ReportStatus
    attempts: number
    slo_count: number | null
    met_count: number | null
    missed_count: number | null
    created_by: number | null
    created_at: InsertOnly<number>
    made_at: number | null
    data: string | null
  }
}
