import type { Alert } from '../api/history.ts'
import { link } from '../address/base.ts'
import { formatBurn, formatDuration } from '../format.ts'
import { SilenceMenu } from '../silence/silence-menu.tsx'
import { StatusShape } from '../ui/status.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { Acknowledge, AcknowledgedNote, SilencedNote } from './acknowledge.tsx'
import { ofAlert } from './acknowledge-requests.ts'
import { aboutOf, alertTitle, burnWords, capitalized, costOfBudget, costWords, shapeOf } from './alert-words.ts'
import { Deliveries } from './deliveries.tsx'

type Props = {
  alerts: readonly Alert[]
  caption: string
  /** True if the alerts belong to several SLOs: each row then names its SLO. */
  ofMany?: boolean
}

/** Firing alerts: the problem, since when, the notifications, and the possible actions. */
export function FiringAlerts({ alerts, caption, ofMany = false }: Props) {
  return (
    <table class="rows alerts firing-alerts">
      <caption class="hidden-text">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Alert</th>
          <th scope="col">Now</th>
          <th scope="col">Since</th>
          <th scope="col">Notified</th>
          <th scope="col">
            <span class="hidden-text">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {bySeverity(alerts).map((alert) => (
          <AlertRow key={alert.id} alert={alert} ofMany={ofMany} />
        ))}
      </tbody>
    </table>
  )
}

/** Sorts critical alerts first; otherwise keeps the order. */
function bySeverity(alerts: readonly Alert[]): Alert[] {
  const rank = (alert: Alert) => (shapeOf(alert) === 'critical' ? 0 : 1)
  return alerts.toSorted((a, b) => rank(a) - rank(b))
}

/** A firing alert as a row, or as a card below 640 px. */
export function AlertRow({ alert, ofMany }: { alert: Alert; ofMany: boolean }) {
  const began = Date.parse(alert.began_at)
  return (
    <tr data-alert={alert.id} data-slo={alert.slo_id ?? undefined}>
      <AlertName alert={alert} ofMany={ofMany} />
      <td data-label="Now">
        {burnWords(alert) !== undefined && <div>{burnWords(alert)}</div>}
        <div class="muted">{alert.kind === 'condition' ? (alert.reason ?? '–') : cost(alert)}</div>
      </td>
      <td data-label="Since" class="when">
        <Time ms={began} />
        <div class="muted">
          <Lasted of={alert} />
        </div>
      </td>
      <td data-label="Notified">
        <Deliveries of={alert} />
      </td>
      <td class="alert-actions">
        <Acknowledge of={ofAlert(alert)} />
        {ofMany && alert.slo_id !== null && <SilenceMenu target={{ sloIds: [alert.slo_id] }} current={alert.silence} />}
      </td>
    </tr>
  )
}

/** Resolved alerts: duration, peak burn rate, notifications, and the budget they cost. */
export function ResolvedAlerts({ alerts, caption, ofMany = false }: Props) {
  return (
    <table class="rows alerts">
      <caption class="hidden-text">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Alert</th>
          <th scope="col">Began</th>
          <th scope="col">Lasted</th>
          <th scope="col" class="number">
            Peak
          </th>
          <th scope="col">Notified</th>
          <th scope="col" class="number">
            Budget it cost
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.id} data-alert={alert.id} data-slo={alert.slo_id ?? undefined}>
            <AlertName alert={alert} ofMany={ofMany} />
            <td data-label="Began" class="when">
              <Time ms={Date.parse(alert.began_at)} />
            </td>
            <td data-label="Lasted" class="when">
              {formatDuration(alert.duration_seconds)}
            </td>
            <td data-label="Peak" class="number">
              {alert.peak_burn_rate === null ? '–' : formatBurn(alert.peak_burn_rate)}
            </td>
            <td data-label="Notified">
              <Deliveries of={alert} />
            </td>
            <td data-label="Budget it cost" class="number when">
              {costWords(alert)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function AlertName({ alert, ofMany }: { alert: Alert; ofMany: boolean }) {
  const title = capitalized(alertTitle(alert))
  return (
    <th scope="row">
      <span class="alert-name">
        <StatusShape state={shapeOf(alert)} stale={alert.ended_at !== null} />
        <a href={link(`/alerts/${alert.id}`)}>{ofMany ? aboutOf(alert) : title}</a>
      </span>
      {ofMany && <span class="alert-what">{title}</span>}
      <AcknowledgedNote of={alert} />
      <SilencedNote of={{ ...alert, isOver: alert.ended_at !== null }} />
    </th>
  )
}

/** Time for which an alert has fired so far, or fired until it was resolved. */
export function Lasted({ of: { began_at, ended_at, duration_seconds } }: { of: Alert }) {
  const seconds = (atMs: number) => (ended_at === null ? (atMs - Date.parse(began_at)) / 1000 : duration_seconds)
  return <>{useNow((atMs) => formatDuration(seconds(atMs)), [began_at, ended_at, duration_seconds])}</>
}

function cost(alert: Alert): string {
  return alert.budget_percent === null ? '–' : `${costOfBudget(alert)} so far`
}
