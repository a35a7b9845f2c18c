import type { ColumnType } from 'kysely'

/** Set once, when the row is made. */
export type Once<T> = ColumnType<T, T, never>

/** SQLite's booleans. */
export type Flag = 0 | 1

export type SloWindow = '1h' | '24h' | '7d' | '30d' | '90d'
export type MetricType = 'availability' | 'latency' | 'throughput'
export type ThresholdOp = 'lte' | 'lt' | 'gte' | 'gt'
export type QueryUnit = 'auto' | 'ratio' | 'percent'

/** An SLO's verdict for a window; `unknown` where there is no value to assess. */
export type Status = 'healthy' | 'warning' | 'critical' | 'unknown'
export type BackfillStatus = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
export type QueryType = 'availability' | 'latency' | 'throughput' | 'error_rate' | 'custom' | 'ratio'

/** An alert or a recovery comes of an evaluation; an acknowledgement goes to incident tools only; a message is sent on request. */
export type NotificationEvent = 'alert' | 'acknowledgement' | 'recovery' | 'message'
export type NotificationStatus = 'pending' | 'sending' | 'sent' | 'delivered' | 'failed' | 'throttled'
export type Priority = 'low' | 'medium' | 'high' | 'critical'
export type TierSeverity = 'page' | 'ticket'
export type AlertSeverity = 'warning' | 'critical' | TierSeverity
/** Of who is mailed from outside of an organization. */
export type RecipientStatus = 'pending' | 'confirmed' | 'declined'
export type AttemptOutcome = 'sent' | 'delivered' | 'retry' | 'failed'

/** What was done to an SLO. */
export type SloEvent = 'created' | 'changed' | 'deleted' | 'restored'

/** What a notification rule selects; see src/notifications/causes.ts for its spellings. */
export type Cause =
  | 'violation'
  | 'warning'
  | 'recovery'
  | 'error_budget_low'
  | 'error_budget_exhausted'
  | 'burn_rate_too_fast'
  | 'appliance_condition'

export type ProbeType = 'http' | 'tcp' | 'dns'
