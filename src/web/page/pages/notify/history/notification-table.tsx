import type { Notification } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { Icon } from '../../../ui/icon.tsx'
import { StatusShape, type Tone } from '../../../ui/status.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { capitalized, certificateCondition, deliveryWords } from '../../../incidents/alert-words.ts'
import { NotificationDetails } from './notification-details.tsx'
import { againAtWords } from './words.ts'
import { sloLabel } from '../../../ui/named-words.ts'

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
  const isOpen = ({ id }: Notification) => String(id) === openId
  const columns: Column<Notification>[] = [
    {
      head: 'Notification',
      cell: (one) => <Opener of={one} isOpen={isOpen(one)} onOpen={() => onOpen(isOpen(one) ? null : one.id)} />,
    },
    {
      head: 'SLO',
      cell: ({ slo_id, metadata }) =>
        slo_id === null ? (
          <span class="muted">{isOfCertificate(metadata) ? 'a certificate' : 'nines itself'}</span>
        ) : (
          <a href={link(`/slos/${slo_id}`)}>{nameIn(metadata) ?? sloLabel(slo_id)}</a>
        ),
    },
    {
      head: 'Channel',
      cell: ({ channel_id }) => (channels ? (channels.get(channel_id) ?? 'a deleted channel') : '–'),
    },
    { head: 'Status', cell: (one) => <DeliveryStatus of={one} /> },
    { head: 'Queued', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
  ]
  return (
    <Table
      class="history"
      caption="Notifications"
      columns={columns}
      rows={notifications}
      rowKey={({ id }) => id}
      rowBelow={(one, columnCount) =>
        isOpen(one) && (
          <tr class="details">
            <td colSpan={columnCount} id={`notification-${one.id}`}>
              <NotificationDetails of={one} />
            </td>
          </tr>
        )
      }
    />
  )
}

function Opener({ of: { id, subject }, isOpen, onOpen }: { of: Notification; isOpen: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      class="opener"
      aria-expanded={isOpen}
      aria-controls={isOpen ? `notification-${id}` : undefined}
      onClick={onOpen}
    >
      <Icon name="chevron-down" size={14} />
      <span>{subject}</span>
    </button>
  )
}

/** Tone of a status; a status without one, waiting or throttled, is shown with a clock. */
const toneOf: Record<string, Tone> = { failed: 'critical', delivered: 'healthy', sent: 'healthy' }

function DeliveryStatus({ of: { status, retry_count, next_attempt_at } }: { of: Notification }) {
  const { word, isProblem } = deliveryWords[status] ?? { word: status, isProblem: false }
  const tone = toneOf[status]
  const isRetried = status === 'pending' && retry_count > 0 && next_attempt_at !== null
  return (
    <div>
      <span class={`status${isProblem ? ' crit-text' : ''}`}>
        {tone ? <StatusShape state={tone} /> : <Icon name="clock" />}
        <span>{capitalized(word)}</span>
      </span>
      {isRetried && <span class="muted next-attempt">{againAtWords(<Time ms={Date.parse(next_attempt_at)} />)}</span>}
    </div>
  )
}

function isOfCertificate(metadata: unknown): boolean {
  return (metadata as { condition?: unknown } | null)?.condition === certificateCondition
}

/** Name of the SLO when the notification was created. */
function nameIn(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || !('slo_name' in metadata)) return null
  return typeof metadata.slo_name === 'string' ? metadata.slo_name : null
}
