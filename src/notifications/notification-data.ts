import type { CertificateUser } from '../certificate.ts'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import type {
  AlertRow,
  AlertSeverity,
  IncidentCloseReason,
  IncidentEvent,
  IncidentSeverity,
  ListKind,
  SloRow,
  StateRow,
} from '../db/tables/tables.ts'
import type { FailureCause } from '../evaluation/evaluation-store.ts'
import { round10, type Status, windowBudget } from '../slos/arithmetic/budget.ts'
import { lineInForce, type PolicyLine, type PolicySource } from '../slos/arithmetic/budget-policy.ts'
import { type PolicyColumns, readPolicyInForce } from '../slos/budget-policy.ts'
import { basisOf, secondsLeft } from '../slos/arithmetic/forecast.ts'
import { parseLabels } from '../slos/labels.ts'
import type { SloState } from '../slos/arithmetic/state.ts'
import { type OwnWindow, ownWindow } from '../slos/arithmetic/own-window.ts'
import { isSloWindow } from '../slos/arithmetic/window-names.ts'
import { readAlertName } from './alerts/alert-name.ts'

/**
 * Data of a notification about an SLO, from the time when it was written: the `metadata` of the API, the values of
 * placeholders, and the content of channel payloads. Percents are 0..100; null: not known.
 */
export type SloData = {
  slo_name: string
  description: string
  labels: Record<string, string>
  /** Address of the runbook, and owner; empty: none; absent in older notifications. */
  runbook_url?: string
  owner?: string
  /** Line of the error budget policy that holds; null: none does. The line or its `source` is absent in older notifications. */
  policy?: (PolicyLine & { source?: PolicySource }) | null
  target: number
  time_window: string
  /** IANA time zone of a calendar window; null: the window moves with time; absent in older notifications. */
  time_zone?: string | null
  status: Status
  /** SLI over the current window. */
  current_value: number | null
  /** Part of the whole window's budget that is used: `window_percent_used` of the API. */
  error_budget_used: number | null
  error_budget_remaining: number | null
  /** True while the traffic of the whole window is not known well yet. */
  error_budget_estimated: boolean
  /** End of the measured windows, ISO 8601. */
  measured_at: string | null
  /** Data of the alert in an alert or a recovery; null for a message. */
  alert: AlertData | null
  /** Set while the budget burns too fast: time until the rest is used up, at the burn rate now or of the alert's long window. */
  forecast: Forecast | null
  /** Set if the notification is about an incident; absent in notifications from before there were incidents. */
  incident?: IncidentData | null
}

/** Incident of a notification; times in ISO 8601. Fields after `relapses` are absent in older notifications. */
export type IncidentData = {
  id: number
  event: IncidentEvent
  severity: IncidentSeverity
  began_at: string
  /** Recovery, or closing without one; null while it fails. */
  recovered_at: string | null
  /** In the message of its end: false if it is not known to have recovered. */
  is_up: boolean
  /** null while it is open. */
  close_reason: IncidentCloseReason | null
  relapses: number
  /** Begin of the last relapse, else of the incident. */
  since: string
  link: string
  /** State of the SLO; null: it was not evaluated. */
  state: SloState | null
  /** Burn rate now while it is down or burns fast, else over the long window of the alert; null: not known. */
  burn_rate: number | null
  /** Last minutes of the SLO (`RecentBurn`). `share` of them that failed, 0..1; events null: time is counted. */
  recent: { seconds: number; share: number; bad_events: number | null; total_events: number | null } | null
  /** null: not known, or the incident has not recovered. */
  cost: IncidentCost | null
  /** Label value that fails most, and its shares; null: not known. */
  cause?: IncidentCause | null
  /** Last deploy or change of the SLO in the 30 minutes before it began; absent: there was none. */
  deploy?: IncidentDeploy
}

/** Deploy or change before an incident. `title`: `deploy checkout v1.4.2`; `url` empty: none. */
export type IncidentDeploy = { id: number; title: string; url: string; seconds_before: number }

/** Cause of an incident. `text`: `route=/pay has 100 % of the failures with 32 % of the traffic`. */
export type IncidentCause = FailureCause & { text: string }

/** Part of the budget of the whole window that an incident used; seconds null: events are counted. */
export type IncidentCost = { percent: number; bad_seconds: number | null; allowed_seconds: number | null }

/** Data of a notification that names several incidents, which came faster than one message for each could be read. */
export type ListData = { alert: AlertData | null; list: IncidentList }

export type IncidentList = {
  /** Key of the list at its receivers; its end has the same. */
  key: string
  kind: ListKind
  link: string
  /** Id of the notification whose list this one ends at an incident tool; null: it ends no particular list. */
  opening_id: number | null
  /** Number of incidents of which the channel was notified and that still fail; null: the list is not of the kind `recovered`. */
  still_failing: number | null
  incidents: ListedIncident[]
}

export type ListedIncident = Pick<IncidentData, 'id' | 'event' | 'severity' | 'began_at' | 'recovered_at'> & {
  slo_id: number
  slo_name: string
  is_down: boolean
}

export type Forecast = { exhausted_in_seconds: number; burn_rate: number; basis: string; basis_seconds: number }

/** Data of a notification about a condition of nines itself, or a certificate, which belong to no SLO. */
export type ConditionData = {
  /** Name of the condition, such as `disk_nearly_full`; empty: the notification only announces a rule. */
  condition: string
  /** Problem and remedy; null if the condition has ended, or if the notification only announces a rule. */
  message: string | null
  advice: string | null
  alert: AlertData | null
  /** Set for the condition `certificate`. */
  certificate?: CertificateData
}

/** Certificate of servers that an organization uses. `names`: hosts it is for; `expires_at`: ISO 8601. */
export type CertificateData = {
  names: string[]
  issuer: string
  server: string
  fingerprint: string
  expires_at: string
  used_by: CertificateUser[]
  /** null while it is used; `valid_until`: of the certificate that replaced it. */
  end: { is_renewed: boolean; valid_until: string | null } | null
}

/** Data of a notification that announces a report; it has no alert. `left_out`: number of SLOs that have no figures here. */
export type ReportNotice = {
  alert: AlertData | null
  report: {
    id: number
    name: string
    title: string
    /** ISO 8601, of the period. */
    starts_at: string
    ends_at: string
    link: string
    figures: { slo_name: string; sli: string; target: string; budget_used: string; met: boolean | null }[]
    left_out: number
  }
}

export type AlertData = {
  /** `down`, `status`, `budget:25`, `burn_rate:3600:300` or `condition:disk_full`; stays the same when the alert recurs. */
  name: string
  severity: AlertSeverity
  /** ISO 8601 */
  began_at: string
  /** ISO 8601; null while it fires. */
  ended_at: string | null
  /** null: nobody has acknowledged it. */
  acknowledged: Acknowledged | null
  /** Percent remaining at which a `budget:…` alert fires; otherwise null. */
  threshold: number | null
  /**
   * Set for `down` alerts: why the last check failed, and, once it has ended, true if checks succeed again. `stopped`: why nothing
   * checks any more; absent otherwise.
   */
  outage: { reason: string | null; is_up: boolean; stopped?: string } | null
  /** Set for `burn_rate:…` alerts; windows as in `1h`. */
  burn_rate: {
    factor: number
    long_window: string
    short_window: string
    long: number | null
    short: number | null
  } | null
}

/** Person who acknowledged an alert, and the time in ISO 8601; the note is empty if none was given. */
export type Acknowledged = { by: string; at: string; note: string }

type Acknowledgement = Pick<AlertRow, 'acknowledged_at' | 'acknowledged_by_name' | 'acknowledgement_note'>

/** Acknowledgement of an alert; null: nobody has acknowledged it. */
export function acknowledgedOf(alert: Acknowledgement): Acknowledged | null {
  const { acknowledged_at: at, acknowledged_by_name: by, acknowledgement_note: note } = alert
  return at === null || by === null ? null : { by, at: isoTime(at * 1000), note: note ?? '' }
}

/** URL of the page of an incident. */
export function linkToIncident(publicUrl: string, incidentId: number): string {
  return `${publicUrl}/incidents/${incidentId}`
}

/** URL of the page of an SLO. */
export function linkTo(publicUrl: string, sloId: number): string {
  return `${publicUrl}/slos/${sloId}`
}

/** Latest measurement of an SLO; `slo_states` fits it. Percents; `measured_at` in ms. */
export type LastMeasured = Pick<
  StateRow,
  'status' | 'current_value' | 'budget_used' | 'window_share' | 'total_events' | 'measured_at'
>

/** Notification data of an SLO; `measured` is null while nothing is measured. */
export function sloDataOf(
  slo: SloRow & PolicyColumns,
  measured: LastMeasured | null,
  alert: AlertData | null,
): SloData {
  const { usedPercent: used, isEstimated } = windowBudget(measured?.budget_used ?? null, slo.target, {
    windowShare: measured?.window_share ?? null,
    countsEvents: (measured?.total_events ?? null) !== null,
  })
  const data: Omit<SloData, 'forecast'> = {
    slo_name: slo.name,
    description: slo.description,
    labels: parseLabels(slo),
    runbook_url: slo.runbook_url,
    owner: slo.owner,
    policy: lineInForce(readPolicyInForce(slo), used === null ? null : round10(100 - used)),
    target: slo.target,
    time_window: slo.time_window,
    time_zone: slo.time_zone,
    status: measured?.status ?? 'unknown',
    current_value: measured?.current_value ?? null,
    error_budget_used: used,
    error_budget_remaining: used === null ? null : round10(100 - used),
    error_budget_estimated: isEstimated,
    measured_at: isoTimeOrNull(measured?.measured_at ?? null),
    alert,
  }
  return { ...data, forecast: forecastOf(data) }
}

type Measured = Pick<SloData, 'time_window' | 'time_zone' | 'measured_at'>

/** Own window as of the measurement in notification data; null: it was not measured, or its window is not known any more. */
export function ownWindowOf({ time_window, time_zone = null, measured_at }: Measured): OwnWindow | null {
  if (measured_at === null || !isSloWindow(time_window)) return null
  return ownWindow({ time_window, time_zone }, Date.parse(measured_at) / 1000)
}

type Burning = Measured & Pick<SloData, 'error_budget_remaining' | 'alert'>

/** Forecast from notification data: at a burn rate of 1 the whole budget lasts the whole window. */
export function forecastOf({ error_budget_remaining: remaining, alert, ...data }: Burning): Forecast | null {
  const name = alert && readAlertName(alert.name)
  const rate = alert?.burn_rate?.long ?? 0
  if (name?.kind !== 'burn_rate' || alert?.ended_at !== null || rate <= 0) return null
  const own = ownWindowOf(data)
  if (own === null || remaining === null || remaining <= 0) return null
  const seconds = secondsLeft(remaining, rate, own)
  return seconds === null ? null : { exhausted_in_seconds: seconds, burn_rate: rate, ...basisOf(name.longSeconds) }
}
