import { useState } from 'preact/hooks'
import { ofDeliveries } from '../../../api/live-reads.ts'
import type { Channel, Channels, Coverage } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty, Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { text, useAddress } from '../../../address/fields.ts'
import { ChannelForm } from './channel-form.tsx'
import { ChannelActions, ChannelName, ChannelState, ChannelUse } from './channel-cells.tsx'
import { DeleteDialog } from './delete-channel.tsx'
import { Picker } from './picker.tsx'
import { productOf, products } from './products.ts'
import type { TestAnswer } from './test-channel.ts'
import { plural } from '../../../format.ts'

/** Value of `new` in the address while the product of a new channel is being chosen. */
const toChoose = 'choose'

/** Open form. `new`: id of the product of a new channel, or `toChoose`; `edit`: id of a channel. */
const formFields = { new: text, edit: text }

/** List of the channels with their health. The address says which form is open. */
export function ChannelsView() {
  const { go } = useAddress(formFields)
  const channels = useRead<Channels>('/notifications/channels', { live: ofDeliveries })
  const coverage = useRead<Coverage>('/notifications/rules/coverage', { live: ofDeliveries })
  const [deleted, setDeleted] = useState<Channel | null>(null)
  const unavailable = whyNot('administer')
  const addButton = (
    <Button kind="primary" unavailable={unavailable} onClick={() => go({ new: toChoose, edit: '' })}>
      New channel
    </Button>
  )
  return (
    <Read of={channels} heightPx={240}>
      {({ data }) => (
        <>
          {data.length === 0 ? (
            <Empty icon="bell-off" title="No channel yet: alerts are seen here alone">
              <p>A channel is where notifications go: a mail address, a chat, a webhook, an incident tool.</p>
              {addButton}
            </Empty>
          ) : (
            <section class="card section">
              <div class="split">
                <p class="muted">{plural(data.length, '# channel', '# channels')}</p>
                {addButton}
              </div>
              <List
                channels={data}
                coverage={coverage.value.value}
                onEdit={({ id }) => go({ new: '', edit: String(id) })}
                onDelete={setDeleted}
              />
            </section>
          )}
          <OpenForm channels={data} unavailable={unavailable} />
          {deleted && (
            <DeleteDialog
              channel={deleted}
              ruleCount={usageOf(deleted, coverage.value.value)?.rules ?? 0}
              onClose={() => setDeleted(null)}
            />
          )}
        </>
      )}
    </Read>
  )
}

function OpenForm({ channels, unavailable }: { channels: Channel[]; unavailable: string | undefined }) {
  const { fields, go } = useAddress(formFields)
  const { new: chosen, edit: edited } = fields
  const close = () => go({ new: '', edit: '' }, { replace: true })
  if (edited !== '') {
    const channel = channels.find(({ id }) => String(id) === edited)
    const product = channel && productOf(channel)
    if (!channel || !product) {
      return (
        <p class="notice unknown" role="alert">
          {channel ? 'This page has no form for that type of channel.' : 'There is no such channel any more.'}
        </p>
      )
    }
    return <ChannelForm key={edited} {...{ product, channel, unavailable }} isFirst={false} onClose={close} />
  }
  if (chosen === '') return null
  const product = products.find(({ id }) => id === chosen)
  if (!product) return <Picker onChoose={(id) => go({ new: id }, { replace: true })} onClose={close} />
  return (
    <ChannelForm
      key={chosen}
      channel={undefined}
      isFirst={channels.length === 0}
      {...{ product, unavailable }}
      onClose={close}
    />
  )
}

type ListProps = {
  channels: Channel[]
  coverage: Coverage | undefined
  onEdit: (channel: Channel) => void
  onDelete: (channel: Channel) => void
}

function List({ channels, coverage, onEdit, onDelete }: ListProps) {
  const [answers, setAnswers] = useState<Record<number, TestAnswer>>({})
  const columns: Column<Channel>[] = [
    { head: 'Channel', cell: (channel) => <ChannelName of={channel} /> },
    { head: 'State', cell: (channel) => <ChannelState of={channel} answer={answers[channel.id] ?? null} /> },
    {
      head: 'Last delivery',
      cell: ({ health: { last_success_at: last } }) => (last === null ? '–' : <Time ms={Date.parse(last)} ago />),
    },
    { head: 'Notified of', cell: (channel) => <ChannelUse of={channel} usage={usageOf(channel, coverage)} /> },
  ]
  return (
    <Table
      class="channels"
      caption="Channels"
      columns={columns}
      rows={channels}
      rowKey={({ id }) => id}
      actions={(channel) => (
        <ChannelActions
          of={channel}
          mayBeUsed={channel.is_default || usageOf(channel, coverage)?.rules !== 0}
          onAnswer={(answer) => setAnswers((previous) => ({ ...previous, [channel.id]: answer }))}
          onEdit={() => onEdit(channel)}
          onDelete={() => onDelete(channel)}
        />
      )}
    />
  )
}

/** Number of rules that use a channel, and of SLOs that they cover. */
function usageOf({ id }: Channel, coverage: Coverage | undefined): { rules: number; slos: number } | undefined {
  if (!coverage) return undefined
  const groups = coverage.groups.filter(({ channel_id }) => channel_id === id)
  return {
    rules: groups.reduce((sum, { rule_ids }) => sum + rule_ids.length, 0),
    slos: new Set(groups.flatMap(({ slo_ids }) => slo_ids)).size,
  }
}
