import type { Notification } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { Icon } from '../../../ui/icon.tsx'
import { StatusShape, type Tone } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { capitalized, deliveryWords } from '../../../incidents/alert-words.ts'
import { NotificationDetails } from './notification-details.tsx'

type Props = {
  notifications: readonly Notification[]
  /** Channel names by id; undefined until they are known. */
  channels: ReadonlyMap<number, string> | undefined
  /** Id of the notification whose details are shown; empty: none. */
  openId: string
  onOpen: (id: number | null) => void
}

/** Table of notifications, newest first. A row opens the text, the attempts and a button to send it again. */
export function NotificationTable({ notifications, channels, openId, onOpen }: Props) {
  return (
    <table class="rows history">
      <caption class="hidden-text">Notifications</caption>
      <thead>
        <tr>
          <th scope="col">Notification</th>
          <th scope="col">SLO</th>
          <th scope="col">Channel</th>
          <th scope="col">Status</th>
          <th scope="col">Queued</th>
        </tr>
      </thead>
      <tbody>
        {notifications.map((one) => {
          const isOpen = String(one.id) === openId
          const nameOf = channels && (channels.get(one.channel_id) ?? 'a deleted channel')
          return [
            <Row
              key={one.id}
              of={one}
              channel={nameOf}
              isOpen={isOpen}
              onOpen={() => onOpen(isOpen ? null : one.id)}
            />,
            isOpen && (
              <tr key={`${one.id} details`} class="details">
                <td colSpan={5} id={`notification-${one.id}`}>
                  <NotificationDetails of={one} />
                </td>
              </tr>
            ),
          ]
        })}
      </tbody>
    </table>
  )
}

type RowProps = { of: Notification; channel: string | undefined; isOpen: boolean; onOpen: () => void }

function Row({ of, channel, isOpen, onOpen }: RowProps) {
  const sloName = nameIn(of.metadata)
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="opener"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `notification-${of.id}` : undefined}
          onClick={onOpen}
        >
          <Icon name="chevron-down" size={14} />
          <span>{of.subject}</span>
        </button>
      </th>
      <td data-label="SLO">
        {of.slo_id === null ? (
          <span class="muted">nines itself</span>
        ) : (
          <a href={link(`/slos/${of.slo_id}`)}>{sloName ?? `SLO ${of.slo_id}`}</a>
        )}
      </td>
      <td data-label="Channel">{channel ?? '–'}</td>
      <td data-label="Status">
        <DeliveryStatus of={of} />
      </td>
      <td data-label="Queued">
        <Time ms={Date.parse(of.created_at)} />
      </td>
    </tr>
  )
}

/** Tone of a final status; others are still in progress. */
const stateOf: Record<string, Tone> = { failed: 'critical', delivered: 'healthy', sent: 'healthy' }

function DeliveryStatus({ of: { status, retry_count, next_attempt_at } }: { of: Notification }) {
  const { word, isProblem } = deliveryWords[status] ?? { word: status, isProblem: false }
  const state = stateOf[status]
  const isRetried = status === 'pending' && retry_count > 0 && next_attempt_at !== null
  return (
    <div>
      <span class={`status${isProblem ? ' crit-text' : ''}`}>
        {state ? <StatusShape state={state} /> : <Icon name="clock" />}
        <span>{capitalized(word)}</span>
      </span>
      {isRetried && (
        <span class="muted next-attempt">
          again at <Time ms={Date.parse(next_attempt_at)} />
        </span>
      )}
    </div>
  )
}

/** Name of the SLO when the notification was created. */
function nameIn(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || !('slo_name' in metadata)) return null
  return typeof metadata.slo_name === 'string' ? metadata.slo_name : null
}
