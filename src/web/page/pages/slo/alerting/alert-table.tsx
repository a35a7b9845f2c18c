import type { Alert, AlertNotification } from '../../../api/history.ts'
import { formatBurn, formatDuration } from '../../../format.ts'
import { Icon } from '../../../ui/icon.tsx'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { alertTitle, capitalized, deliveryWords } from './alert-words.ts'

/** Alerts with when they began, how long they lasted, how bad it was, and what came of their notifications. */
export function AlertTable({ alerts, isFiring = false }: { alerts: Alert[]; isFiring?: boolean }) {
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Alert</th>
            <th scope="col">Began</th>
            <th scope="col">{isFiring ? 'For' : 'Lasted'}</th>
            <th scope="col" class="number">
              Peak
            </th>
            <th scope="col">Notified</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <Row key={alert.id} alert={alert} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function Row({ alert }: { alert: Alert }) {
  const began = Date.parse(alert.began_at)
  const seconds = alert.ended_at === null ? (nowMs.value - began) / 1000 : alert.duration_seconds
  const state = alert.severity === 'page' || alert.severity === 'critical' ? 'critical' : 'warning'
  return (
    <tr>
      <th scope="row">
        <span class="alert-name">
          <StatusShape state={state} stale={alert.ended_at !== null} />
          {capitalized(alertTitle(alert))}
        </span>
        {alert.silenced && alert.ended_at === null && (
          <span class="muted with-icon">
            <Icon name="bell-off" size={14} /> silenced
          </span>
        )}
      </th>
      <td data-label="Began">
        <Time ms={began} />
      </td>
      <td data-label={alert.ended_at === null ? 'For' : 'Lasted'}>{formatDuration(seconds)}</td>
      <td data-label="Peak" class="number">
        {alert.peak_burn_rate === null ? '–' : formatBurn(alert.peak_burn_rate)}
      </td>
      <td data-label="Notified">
        <Notifications of={alert.notifications ?? []} />
      </td>
    </tr>
  )
}

/** By channel, the last that was sent of the alert, and that of its end where that failed. */
function Notifications({ of }: { of: AlertNotification[] }) {
  const channels = [...Map.groupBy(of, ({ channel_id }) => channel_id).values()]
  if (channels.length === 0) return <span class="muted">nobody</span>
  return (
    <ul class="deliveries">
      {channels.map((ofChannel) => {
        const alert = ofChannel.findLast(({ event }) => event === 'alert') ?? ofChannel[0]
        const recovery = ofChannel.findLast(({ event }) => event === 'recovery')
        return (
          <li key={ofChannel[0]?.channel_id}>
            {alert && <Delivery of={alert} />}
            {recovery && deliveryWords[recovery.status]?.isProblem && <Delivery of={recovery} what="end: " />}
          </li>
        )
      })}
    </ul>
  )
}

function Delivery({ of, what = '' }: { of: AlertNotification; what?: string }) {
  const { word, isProblem } = deliveryWords[of.status] ?? { word: of.status, isProblem: false }
  return (
    <span class={isProblem ? 'crit-text' : undefined}>
      {of.channel_name ?? 'a deleted channel'}: {what}
      {word}
      {of.error_message !== '' && <span class="delivery-error"> ({of.error_message})</span>}
    </span>
  )
}
