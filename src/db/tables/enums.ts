import type { ColumnType } from 'kysely'
import type { TierSeverity } from '../../slos/arithmetic/burn-rates.ts'

/** A column that is set once, when the row is inserted. */
export type InsertOnly<T> = ColumnType<T, T, never>

/** A boolean in SQLite. */
export type Flag = 0 | 1

export type MetricType = 'availability' | 'latency' | 'throughput'
export type ThresholdOp = 'lte' | 'lt' | 'gte' | 'gt'
export type QueryUnit = 'auto' | 'ratio' | 'percent'

export type BackfillStatus = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
export type QueryType = 'availability' | 'latency' | 'throughput' | 'error_rate' | 'custom' | 'ratio'

/**
 * `recovery`: an alert has ended; `acknowledgement`: somebody works on an alert, for incident tools only; `message`: about no
 * alert, such as a report.
 */
export type NotificationEvent = 'alert' | 'acknowledgement' | 'recovery' | 'message'
export type NotificationStatus = 'pending' | 'sending' | 'sent' | 'delivered' | 'failed' | 'throttled'
export type Priority = 'low' | 'medium' | 'high' | 'critical'
/** Priority of a rule; `auto`: that of the alert, by its severity. */
export type RulePriority = Priority | 'auto'
export type AlertSeverity = 'warning' | 'critical' | TierSeverity
export type IncidentSeverity = 'warning' | 'critical'
export type IncidentState = 'down' | 'burning_fast' | 'burning' | 'recovering' | 'unknown' | 'closed'
/**
 * Reason why an incident was closed; `not_evaluated`: its SLO was deleted or paused, its source removed, or its checks have
 * stopped, so it is not known if the service is up.
 */
export type IncidentCloseReason = 'recovered' | 'by_hand' | 'not_evaluated'
/**
 * Event of an incident between its begin and its end. `rose`: its severity became critical; `again`: it failed again; `withdrawn`:
 * its acknowledgement was withdrawn.
 */
export type IncidentStep = 'rose' | 'recovered' | 'again' | 'acknowledged' | 'withdrawn'
/** Event of an incident that a notification is about. `rose`: an alert of a higher severity fires; `again`: it fails again. */
export type IncidentEvent = 'opened' | 'rose' | 'again' | 'flapping' | 'recovered'
/** Kind of a list of incidents: failing and urgent, failing and not urgent, up again, and closed without being known to be up. */
export type ListKind = 'critical' | 'warning' | 'recovered' | 'not_known'
/** Status of a mail recipient outside of an organization. */
export type RecipientStatus = 'pending' | 'confirmed' | 'declined'
export type AttemptOutcome = 'sent' | 'delivered' | 'retry' | 'failed'

/** Kind of change to an SLO. */
export type SloEvent = 'created' | 'changed' | 'deleted' | 'restored' | 'paused' | 'resumed'

/** Condition that a notification rule selects; see src/notifications/causes.ts for its alert types. */
export type Cause =
  | 'violation'
  | 'warning'
  | 'recovery'
  | 'error_budget_low'
  | 'error_budget_exhausted'
  | 'burn_rate_too_fast'
  | 'appliance_condition'

export type ProbeType = 'http' | 'tcp' | 'dns' | 'icmp'

/**
 * Result of a run of a heartbeat. `missed`: nothing came until its deadline. `unknown`: nothing came, and nines was off between its
 * due time and its deadline. `late`: a report after the deadline of a run that was missed or unknown; such a report counts as no
 * run.
 */
export type RunOutcome = 'good' | 'failed' | 'missed' | 'unknown' | 'late'

/** Kinds of reports that are kept. */
export type HeartbeatReport = 'success' | 'fail' | 'log'

export type AnnotationKind = 'deploy' | 'change' | 'note'

/** Calendar period of a report. */
export type ReportInterval = 'week' | 'month' | 'quarter'

export type ReportStatus = 'pending' | 'ready' | 'failed'

/** Reason why a time does not count. */
export type CorrectionCategory =
  'planned_maintenance' | 'outside_service_hours' | 'incident_elsewhere' | 'bad_data' | 'other'
