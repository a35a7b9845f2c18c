import type { AlertNotification } from '../api/history.ts'
import { deliveryWords } from './alert-words.ts'

/** Latest notification of the alert by channel, and the one of its recovery if that one failed. */
export function Deliveries({ of }: { of: AlertNotification[] }) {
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
