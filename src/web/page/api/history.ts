/** `GET /slos/:id/timeline`: what happened to an SLO in a range of time. */
export type Timeline = {
  alerts: { id: number; name: string; severity: string; began_at: string; ended_at: string | null }[]
  silences: { id: number; starts_at: string; until: string; comment: string }[]
  changes: {
    id: number
    event: string
    revision: number
    changed_at: string
    changed_by_name: string | null
    fields: string[]
  }[]
}

export type Paged = { total: number; page: number; page_size: number; has_next: boolean }

export type AlertNotification = {
  id: number
  channel_id: number
  channel_name: string | null
  channel_type: string
  status: string
  event: string
  error_message: string
  created_at: string
}

/** An alert of `GET /notifications/alerts?include=notifications`. */
export type Alert = {
  id: number
  name: string
  severity: string
  state: string
  began_at: string
  ended_at: string | null
  duration_seconds: number
  silenced: boolean
  peak_burn_rate: number | null
  notifications: AlertNotification[]
}
export type Alerts = { alerts: Alert[] } & Paged

export type TierRule = {
  severity: string
  long_window: string
  short_window: string
  factor: number
  min_events: number
  enabled: boolean
}

/** `GET /slos/:id/alerting`. */
export type Alerting = {
  burn_rate_tiers: (TierRule & { budget_percent: number; refused: string | null })[]
  burn_rate_tiers_are_standard: boolean
  budget_thresholds: number[]
  budget_thresholds_are_standard: boolean
}

/** A rule of `GET /notifications/rules`. */
export type Rule = {
  id: number
  channel_id: number
  alert_type: string
  severity: string | null
  priority: string
  enabled: boolean
  min_interval_seconds: number
  channel: { name: string; channel_type: string; enabled: boolean; health: string; last_error: string | null }
}
export type Rules = { data: Rule[] } & Paged

export type ChangedField = { field: string; before: unknown; after: unknown }
export type Change = {
  id: number
  event: string
  revision: number
  changed_at: string
  changed_by_name: string | null
  fields: ChangedField[]
}
export type Changes = { changes: Change[] } & Paged

export type ListedEvaluation = {
  evaluated_at: string
  status: 'healthy' | 'warning' | 'critical' | 'unknown'
  reason: string | null
  message: string | null
  sli: number | null
  percentage_used: number | null
  revision: number
  duration_ms: number | null
  count: number
  worst_status: 'healthy' | 'warning' | 'critical' | 'unknown'
}
export type Evaluations = { evaluations: ListedEvaluation[] } & Paged
