import type { ComponentChildren } from 'preact'
import type { Channel, DeliveryStatistics } from '../../../api/history.ts'
import { formatNumber, formatPercent, formatTook } from '../../../format.ts'
import { type Column, Table } from '../../../ui/table.tsx'
import { productOf } from '../channels/products.ts'
import { arrivedWords } from './words.ts'

type Statistics = DeliveryStatistics['data']

/** Delivery statistics of the stored notifications: in total, and by channel type. */
export function Statistics({ of, channels }: { of: Statistics; channels: readonly Channel[] }) {
  const arrived = of.sent_notifications + of.delivered_notifications
  const waiting = of.pending_notifications + of.sending_notifications
  const ended = arrived + of.failed_notifications
  return (
    <section class="card section">
      <h2>Deliveries</h2>
      <dl class="delivery-figures">
        <Figure name="Arrived" value={ended === 0 ? '–' : formatPercent(of.success_rate * 100, 1)}>
          {arrivedWords(arrived, ended)}
        </Figure>
        <Figure name="Failed" value={formatNumber(of.failed_notifications)} isProblem={of.failed_notifications > 0}>
          after all attempts
        </Figure>
        <Figure name="Waiting" value={formatNumber(waiting)}>
          for their turn, or for a retry
        </Figure>
        <Figure name="Took" value={arrived === 0 ? '–' : formatTook(of.average_delivery_time_ms)}>
          on average, retries included
        </Figure>
      </dl>
      {of.channel_types.length > 1 && <ByType of={of.channel_types} channels={channels} />}
    </section>
  )
}

function Figure(props: { name: string; value: string; isProblem?: boolean; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={`figure${props.isProblem ? ' crit-text' : ''}`}>{props.value}</dd>
      <dd class="muted">{props.children}</dd>
    </div>
  )
}

function ByType({ of, channels }: { of: Statistics['channel_types']; channels: readonly Channel[] }) {
  const nameOf = (type: string) => {
    const one = channels.find(({ channel_type }) => channel_type === type)
    return (one && productOf(one)?.name) ?? type
  }
  const columns: Column<Statistics['channel_types'][number]>[] = [
    { head: 'Type of channel', cell: ({ channel_type }) => nameOf(channel_type) },
    { head: 'Arrived', isNumber: true, cell: ({ arrived }) => formatNumber(arrived) },
    {
      head: 'Failed',
      isNumber: true,
      class: ({ failed }) => (failed > 0 ? 'crit-text' : undefined),
      cell: ({ failed }) => formatNumber(failed),
    },
    { head: 'Waiting', isNumber: true, cell: ({ waiting }) => formatNumber(waiting) },
    { head: 'Throttled', isNumber: true, cell: ({ throttled }) => formatNumber(throttled) },
    {
      head: 'Took',
      isNumber: true,
      cell: ({ average_delivery_time_ms: took }) => (took === null ? '–' : formatTook(took)),
    },
  ]
  return <Table caption="By type of channel" columns={columns} rows={of} rowKey={({ channel_type }) => channel_type} />
}
