import type { Alert, Paged } from '../api/history.ts'
import { link } from '../address/base.ts'
import { formatBurn, formatDuration } from '../format.ts'
import { SilenceMenu } from '../silence/silence-menu.tsx'
import { StatusShape } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { Acknowledge, AcknowledgedNote, SilencedNote } from './acknowledge.tsx'
import { ofAlert } from './acknowledge-requests.ts'
import { aboutOf, alertTitle, burnWords, capitalized, costOfBudget, costWords, shapeOf } from './alert-words.ts'
import { Deliveries } from './deliveries.tsx'
import { soFarWords } from './words.ts'

type Props = {
  alerts: readonly Alert[]
  caption: string
  /** True if the alerts belong to several SLOs: each row then names its SLO. */
  ofMany?: boolean
  empty: string
  pager?: { of: Paged; what: string }
}

/** Firing alerts: the problem, since when, the notifications, and the possible actions. */
export function FiringAlerts({ alerts, ...props }: Props) {
  return <AlertTable class="alerts firing-alerts" alerts={bySeverity(alerts)} columns={firingColumns} {...props} />
}

/** Resolved alerts: duration, peak burn rate, notifications, and the budget they cost. */
export function ResolvedAlerts(props: Props) {
  return <AlertTable class="alerts" columns={resolvedColumns} {...props} />
}

type TableProps = Props & { class: string; columns: (ofMany: boolean) => Column<Alert>[] }

function AlertTable({ alerts, columns, ofMany = false, ...props }: TableProps) {
  return (
    <Table
      {...props}
      columns={[{ head: 'Alert', cell: (alert) => <AlertName alert={alert} ofMany={ofMany} /> }, ...columns(ofMany)]}
      rows={alerts}
      rowKey={({ id }) => id}
      attributes={({ id, slo_id }) => ({ 'data-alert': id, 'data-slo': slo_id ?? undefined })}
    />
  )
}

/** Sorts critical alerts first; otherwise keeps the order. */
function bySeverity(alerts: readonly Alert[]): Alert[] {
  const rank = (alert: Alert) => (shapeOf(alert) === 'critical' ? 0 : 1)
  return alerts.toSorted((a, b) => rank(a) - rank(b))
}

const notifiedColumn: Column<Alert> = { head: 'Notified', cell: (alert) => <Deliveries of={alert} /> }

const firingColumns = (ofMany: boolean): Column<Alert>[] => [
  {
    head: 'Now',
    cell: (alert) => (
      <>
        {burnWords(alert) !== undefined && <div>{burnWords(alert)}</div>}
        <div class="muted">{alert.kind === 'condition' ? (alert.reason ?? '–') : cost(alert)}</div>
      </>
    ),
  },
  {
    head: 'Since',
    class: 'when',
    cell: (alert) => (
      <>
        <Time ms={Date.parse(alert.began_at)} />
        <div class="muted">
          <Lasted of={alert} />
        </div>
      </>
    ),
  },
  notifiedColumn,
  {
    head: 'What to do',
    isHeadHidden: true,
    class: 'alert-actions',
    cell: (alert) => (
      <>
        <Acknowledge of={ofAlert(alert)} />
        {ofMany && alert.slo_id !== null && <SilenceMenu target={{ sloIds: [alert.slo_id] }} current={alert.silence} />}
      </>
    ),
  },
]

const resolvedColumns = (): Column<Alert>[] => [
  { head: 'Began', class: 'when', cell: ({ began_at }) => <Time ms={Date.parse(began_at)} /> },
  { head: 'Lasted', class: 'when', cell: ({ duration_seconds }) => formatDuration(duration_seconds) },
  {
    head: 'Peak',
    isNumber: true,
    cell: ({ peak_burn_rate: peak }) => (peak === null ? '–' : formatBurn(peak)),
  },
  notifiedColumn,
  { head: 'Budget it cost', isNumber: true, class: 'when', cell: costWords },
]

function AlertName({ alert, ofMany }: { alert: Alert; ofMany: boolean }) {
  const title = capitalized(alertTitle(alert))
  return (
    <>
      <span class="alert-name">
        <StatusShape state={shapeOf(alert)} stale={alert.ended_at !== null} />
        <a href={link(`/alerts/${alert.id}`)}>{ofMany ? aboutOf(alert) : title}</a>
      </span>
      {ofMany && <span class="alert-what">{title}</span>}
      <AcknowledgedNote of={alert} />
      <SilencedNote of={{ ...alert, isAlertOver: alert.ended_at !== null }} />
    </>
  )
}

/** Time for which an alert has fired so far, or fired until it was resolved. */
export function Lasted({ of: { began_at, ended_at, duration_seconds } }: { of: Alert }) {
  const seconds = (atMs: number) => (ended_at === null ? (atMs - Date.parse(began_at)) / 1000 : duration_seconds)
  return <>{useNow((atMs) => formatDuration(seconds(atMs)), [began_at, ended_at, duration_seconds])}</>
}

function cost(alert: Alert): string {
  return alert.budget_percent === null ? '–' : soFarWords(costOfBudget(alert))
}
