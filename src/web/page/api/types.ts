/** A user as `GET /auth/me` answers. */
export type User = {
  id: number
  email: string
  name: string
  organization_id: number
  role: 'admin' | 'member' | 'viewer'
  email_confirmed: boolean
}

/** How fast the budget is used now, by the tier that is nearest to its threshold. */
export type Burn = {
  state: 'burning' | 'recovering' | 'rising' | 'calm'
  rate: number
  window_seconds: number
}

/** A row of `GET /slos/overview`. Percentages are 0 to 100; what is not known is null. */
export type OverviewSlo = {
  id: number
  name: string
  description: string
  target: number
  time_window: string
  team_id: number
  team_name: string | null
  labels: Record<string, string>
  status: 'healthy' | 'warning' | 'critical' | 'unknown'
  status_reason: string | null
  /** Why the status is unknown, in a sentence. */
  status_message: string | null
  stale: boolean
  measured_at: string | null
  sli: number | null
  coverage: number | null
  percentage_remaining: number | null
  burn: Burn | null
  firing: { alert_id: number; name: string; severity: string; since: string; silenced: boolean }[]
  /** When the budget will be used up at the present rate, or was. */
  exhausts_at: string | null
  /** The share of a day's allowance that each of the last 30 days used, in percent; the last one is today. */
  days: (number | null)[]
}

export type Overview = { slos: OverviewSlo[]; total: number; days_end: string }

export type Slo = {
  id: number
  name: string
  description: string
  target: number
  time_window: string
  metric_type: string
  metric_query: string
  good_query: string | null
  bad_query: string | null
  total_query: string | null
  threshold: number | null
  threshold_op: string | null
  source_id: number | null
  labels: Record<string, string>
  revision: number
  created_at: string
  updated_at: string
  measured_since: string
  team_name: string
  /** Of the default source where `source_id` is null; null: there is none. */
  source_name: string | null
  created_by_name: string | null
}

export type Budget = {
  slo_id: number
  target: number
  time_window: string
  status: OverviewSlo['status']
  status_reason: string | null
  status_message: string | null
  measured_at: string | null
  age_seconds: number | null
  stale: boolean
  sli: number | null
  coverage: number | null
  error_budget: {
    total: number
    used: number | null
    remaining: number | null
    percentage_used: number | null
    percentage_remaining: number | null
  }
  events: { good: number; total: number; bad: number; allowed_bad: number; remaining_bad: number } | null
  minutes: { allowed: number; used: number; remaining: number } | null
  burn_down: { timestamp: string; remaining_percent: number; ideal_percent: number; coverage: number }[]
  forecast: { exhausted: boolean; exhausts_at: string | null; burn_rate: number | null; basis_window: string } | null
}

export type Tier = {
  severity: string
  long_window: string
  short_window: string
  factor: number
  enabled: boolean
  long_burn_rate: number | null
  short_burn_rate: number | null
  firing: boolean | null
  time_to_exhaustion_seconds: number | null
}

export type BurnRates = { slo_id: number; tiers: Tier[]; measured_at: string | null; stale: boolean }

export type SeriesPoint = {
  timestamp: string
  sli: number | null
  coverage: number
  good: number | null
  total: number | null
}

export type Series = { start_time: string; end_time: string; step_seconds: number; points: SeriesPoint[] }

export type Incident = {
  key: string
  began_at: string
  ended_at: string
  ongoing: boolean
  duration_seconds: number
  bad_events: number
  total_events: number
  peak_percent: number
  budget_percent: number
}

export type Incidents = {
  slo_id: number
  start_time: string
  end_time: string
  budget_used_percent: number | null
  background_percent: number | null
  incidents: Incident[]
}
