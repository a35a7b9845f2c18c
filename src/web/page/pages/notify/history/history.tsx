import { useMemo } from 'preact/hooks'
import { ofDeliveries } from '../../../api/live-reads.ts'
import type { Channels, DeliveryStatistics, Notifications } from '../../../api/history.ts'
import { useRead } from '../../../api/use-read.ts'
import type { Overview } from '../../../api/types.ts'
import { now } from '../../../clock.ts'
import { plural } from '../../../format.ts'
import { Pager } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { useAddress } from '../../../address/fields.ts'
import { type HistoryFilter, historyFields, queryOfFilter, ranges, statuses } from './filter.ts'
import { NotificationTable } from './notification-table.tsx'
import { RetryFailed } from './retry-failed.tsx'
import { Statistics } from './statistics.tsx'

const pollWhileWaitingMs = 3000

function hasWaiting({ notifications }: Notifications): boolean {
  return notifications.some(({ status }) => status === 'pending' || status === 'sending')
}

/** List of all notifications with their outcome; each can be sent again. */
export function HistoryView() {
  const { fields, to, go } = useAddress(historyFields)
  const { open, ...filter } = fields
  const isFiltered = [filter.status, filter.channel, filter.slo, filter.range].some((value) => value !== '')
  const isAllFailed = filter.status === 'failed' && filter.channel === '' && filter.slo === ''
  const key = JSON.stringify(filter)
  const query = useMemo(() => queryOfFilter(filter, now()), [key]) // so that the period keeps its start until the filter changes
  const listed = useRead<Notifications>(`/notifications/history?${query}`, {
    live: ofDeliveries,
    everyMs: (read) => (hasWaiting(read) ? pollWhileWaitingMs : undefined),
  })
  const isWaiting = listed.value.value !== undefined && hasWaiting(listed.value.value)
  const statistics = useRead<DeliveryStatistics>('/notifications/statistics', {
    live: ofDeliveries,
    everyMs: isWaiting ? pollWhileWaitingMs : undefined,
  })
  const channels = useRead<Channels>('/notifications/channels')
  const overview = useRead<Overview>('/slos/overview')
  const names = new Map(channels.value.value?.data.map(({ id, name }) => [id, name]))
  return (
    <>
      <Read of={statistics} heightPx={96}>
        {({ data }) => <Statistics of={data} channels={channels.value.value?.data ?? []} />}
      </Read>
      <section class="card section">
        <div class="split">
          <h2>Notifications</h2>
          <Filters
            filter={filter}
            channels={channels.value.value?.data ?? []}
            slos={overview.value.value?.slos ?? []}
            onChange={(changes) => go({ ...changes, page: 1, open: '' })}
          />
        </div>
        <Read of={listed} heightPx={320}>
          {(value) =>
            value.notifications.length === 0 ? (
              <p class="muted">
                {isFiltered ? 'No notification is like this.' : 'Nothing has been sent yet. A rule sends what alerts.'}{' '}
                {isFiltered && <a href={to({ status: '', channel: '', slo: '', range: '' })}>Show all</a>}
              </p>
            ) : (
              <>
                <div class="head-actions">
                  <p class="muted" role="status">
                    {plural(value.total, '# notification', '# notifications')}
                  </p>
                  {isAllFailed && <RetryFailed range={filter.range} />}
                </div>
                <NotificationTable
                  notifications={value.notifications}
                  channels={channels.value.value ? names : undefined}
                  openId={open}
                  onOpen={(id) => go({ open: id === null ? '' : String(id) }, { replace: true })}
                />
                <Pager of={value} what="notifications" />
              </>
            )
          }
        </Read>
      </section>
    </>
  )
}

type FiltersProps = {
  filter: HistoryFilter
  channels: readonly { id: number; name: string }[]
  slos: readonly { id: number; name: string }[]
  onChange: (changes: Partial<HistoryFilter>) => void
}

function Filters({ filter, channels, slos, onChange }: FiltersProps) {
  const byId = (of: FiltersProps['slos']) => of.map(({ id, name }) => [String(id), name] as const)
  const choice = (name: 'status' | 'channel' | 'slo' | 'range') => ({
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <div class="history-filters cluster" role="search" aria-label="Notifications">
      <Choice label="Status" all="Any status" of={statuses} {...choice('status')} />
      <Choice label="Channel" all="Any channel" of={byId(channels)} {...choice('channel')} />
      <Choice label="SLO" all="Any SLO" of={byId(slos)} {...choice('slo')} />
      <Choice label="Time" all="Any time" of={ranges} {...choice('range')} />
    </div>
  )
}

type ChoiceProps = {
  label: string
  all: string
  of: readonly (readonly [value: string, text: string, ...unknown[]])[]
  value: string
  onChange: (value: string) => void
}

function Choice({ label, all, of, value, onChange }: ChoiceProps) {
  const isKnown = value === '' || of.some(([known]) => known === value)
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{all}</option>
      {of.map(([known, text]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
      {!isKnown && <option value={value}>{value}</option>}
    </select>
  )
}
