import type { Alert, AlertNotification } from '../api/history.ts'
import { link } from '../address/base.ts'
import { deliveryWords } from './alert-words.ts'

/**
 * Latest notification of the alert for each channel, and that of its recovery if it failed. An alert without notifications may be part of an
 * incident, which is notified instead.
 */
export function Deliveries({ of: { notifications = [], incident_id } }: { of: Notified }) {
  const channels = [...Map.groupBy(notifications, ({ channel_id }) => channel_id).values()]
  if (channels.length === 0) {
    return incident_id === null ? (
      <span class="muted">nobody</span>
    ) : (
      <span class="muted">
        not by itself; see <a href={link(`/incidents/${incident_id}`)}>its incident</a>
      </span>
    )
  }
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

type Notified = Pick<Alert, 'notifications' | 'incident_id'>

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
