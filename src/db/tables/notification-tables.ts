import type { Generated } from 'kysely'
import type {
  AlertSeverity,
  AttemptOutcome,
  Cause,
  Flag,
  NotificationEvent,
  NotificationStatus,
  Once,
  Priority,
  RecipientStatus,
} from './enums.ts'
import type { TierSeverity } from '../../slos/arithmetic/burn-rates.ts'

/** Tables of alerts and of notifications. */
export type NotificationTables = {
  channels: {
    id: Generated<number>
    organization_id: Once<number>
    name: string
    channel_type: string
    sealed_configuration: string
    enabled: Flag
    max_retries: number
    failures: number
    failing_since: number | null
    last_error: string | null
    last_success_at: number | null
    paused_until: number | null
    created_at: Once<number>
    updated_at: number
  }
  mail_recipients: {
    organization_id: Once<number>
    address_key: Once<string>
    status: RecipientStatus
    token: Once<string>
    request_count: number
    requested_at: number | null
  }
  notification_rules: {
    id: Generated<number>
    organization_id: Once<number>
    slo_id: Once<number | null>
    channel_id: Once<number>
    alert_type: string
    cause: Once<Cause>
    severity: TierSeverity | null
    priority: Priority
    subject: string | null
    message: string | null
    max_retries: number
    min_interval_seconds: number
    enabled: Flag
    created_at: Once<number>
    updated_at: number
  }
  alerts: {
    id: Generated<number>
    organization_id: Once<number>
    slo_id: Once<number | null>
    name: Once<string>
    severity: AlertSeverity
    began_at: Once<number>
    ended_at: number | null
    reason: Once<string | null>
    peak_burn_rate: number | null
    acknowledged_at: number | null
    acknowledged_by: number | null
    acknowledged_by_name: string | null
    acknowledgement_note: string | null
  }
  notifications: {
    id: Generated<number>
    organization_id: Once<number>
    slo_id: Once<number | null>
    rule_id: Once<number | null>
    channel_id: Once<number>
    alert_id: Once<number | null>
    channel_type: Once<string>
    event: Once<NotificationEvent>
    alert_type: Once<string>
    status: NotificationStatus
    priority: Once<Priority>
    subject: Once<string>
    message: Once<string>
    metadata: string
    content_hash: Once<string>
    idempotency_key: Once<string>
    retry_count: number
    max_retries: number
    error_message: string
    next_attempt_at: number
    leased_until: number | null
    sealed_configuration: string | null
    sent_at: number | null
    delivered_at: number | null
    created_at: Once<number>
    updated_at: number
  }
  notification_attempts: {
    id: Generated<number>
    notification_id: Once<number>
    attempted_at: Once<number>
    duration_ms: Once<number>
    outcome: Once<AttemptOutcome>
    status_code: Once<number | null>
    error: Once<string | null>
    retry_at: Once<number | null>
  }
  silences: {
    id: Generated<number>
    organization_id: Once<number>
    slo_id: Once<number | null>
    labels: Once<string | null>
    starts_at: number
    until: number
    comment: string
    created_by: number | null
    created_at: Once<number>
  }
}
