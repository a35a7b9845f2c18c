import type { ReportInterval } from '../db/tables/enums.ts'

/**
 * Data of a report, as it is stored and as the API returns it: docs/budgets.md, "Reports". Times in ISO 8601, in UTC. Percents are 0..100;
 * those of a used budget may be above. Null: not known.
 */
export type ReportData = {
  version: '1'
  name: string
  interval: ReportInterval
  title: string
  time_zone: string
  starts_at: string
  ends_at: string
  made_at: string
  organization: string
  scope: { kind: 'all' | 'team' | 'labels'; text: string }
  summary: ReportSummary
  slos: ReportedSlo[]
  incidents: ReportedIncident[]
  deploys: ReportedDeploy[]
  changes: ReportedChange[]
}

/** Counts over everything that was selected, also where a list above its bound is cut. */
export type ReportSummary = {
  slo_count: number
  met: number
  missed: number
  unknown: number
  incident_count: number
  incident_seconds: number
  alert_count: number
  deploy_count: number
  change_count: number
  /** Smallest share of the period that was measured of any SLO, 0..1; null: there is no SLO. */
  min_coverage: number | null
}

export type Resolution = '1m' | '1h' | '1d'

export type ReportedSlo = {
  id: number
  name: string
  owner: string
  labels: Record<string, string>
  target: number
  /** Percent of the period; null: less than half of it was measured, or nothing happened. */
  sli: number | null
  met: boolean | null
  unit: 'events' | 'seconds'
  bad: number
  total: number
  /** Failures that the target allows in the period. */
  allowed: number
  budget_used_percent: number | null
  /** Share of the period that was measured, 0..1. */
  coverage: number
  /** Part of the period that corrections and service hours leave out, and the SLI with it; null: they leave nothing out. */
  excluded: { seconds: number; share: number; bad: number; total: number; sli_without: number | null } | null
  /** Resolution to which the ends of the period were rounded: the coarser one of both. */
  resolution: Resolution
  /** True if the figures are those of the SLO's own frozen period. */
  is_frozen_period: boolean
  /** Own window of the SLO up to the end of the period. */
  own: { time_window: string; time_zone: string | null; sli: number | null; budget_left_percent: number | null }
  periods: ReportedPeriod[]
  incident_count: number
  alerts: Record<'page' | 'ticket' | 'other', number>
}

/** Calendar period of the SLO itself that ended within that of the report. */
export type ReportedPeriod = {
  time_window: string
  time_zone: string
  starts_at: string
  ends_at: string
  target: number
  sli: number | null
  met: boolean | null
  budget_used_percent: number | null
}

export type ReportedIncident = {
  id: number
  slo_id: number
  slo_name: string
  severity: 'warning' | 'critical'
  began_at: string
  /** null: it still failed when the report was made. */
  ended_at: string | null
  duration_seconds: number
  /** Budget of the period that its failures within the period used; null: not known. */
  budget_percent: number | null
  cause: string | null
  deploy: { title: string; url: string; seconds_before: number } | null
  account: { text: string; is_cut: boolean; url: string; by: string; updated_at: string } | null
}

export type ReportedDeploy = {
  id: number
  kind: 'deploy' | 'change' | 'note'
  title: string
  url: string
  at: string
  /** SLOs whose budget it used most until the next deploy; `before_percent`: in as long a time before. null: a note, or not among the newest. */
  costs: { slo_id: number; slo_name: string; budget_percent: number | null; before_percent: number | null }[] | null
}

export type ReportedChange = {
  slo_id: number
  slo_name: string
  event: string
  changed_at: string
  by: string | null
  fields: { field: string; before: string | null; after: string | null }[]
}

/** Bounds of a report, so that it takes at most a few megabytes. */
export const bounds = {
  slos: 5000,
  periods: 5000,
  incidents: 200,
  deploys: 100,
  costedDeploys: 40,
  costsOfDeploy: 3,
  changes: 200,
  accountCharacters: 2000,
  valueCharacters: 200,
} as const

/** Text cut to its bound, at a whole character. */
export function cut(text: string, max: number = bounds.valueCharacters): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}
