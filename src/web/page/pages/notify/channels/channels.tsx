import type { Channel, Channels } from '../../../api/history.ts'
import { useResource } from '../../../api/use-resource.ts'
import { Empty, Read } from '../../../ui/states.tsx'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { productOf } from './channel-types.ts'
import { healthOf } from './health.ts'

/** Where notifications go, and whether they arrive. */
export function ChannelsView() {
  const channels = useResource<Channels>('/notifications/channels')
  return (
    <Read of={channels} heightPx={240}>
      {({ data }) => <List channels={data} />}
    </Read>
  )
}

function List({ channels }: { channels: Channel[] }) {
  if (channels.length === 0) {
    return (
      <Empty icon="bell-off" title="No channel yet">
        <p>A channel is where notifications go: a mail address, a chat, a webhook, an incident tool.</p>
      </Empty>
    )
  }
  return (
    <section class="card section">
      <table class="rows">
        <caption class="hidden-text">Channels</caption>
        <thead>
          <tr>
            <th scope="col">Channel</th>
            <th scope="col">Type</th>
            <th scope="col">State</th>
            <th scope="col">Last delivery</th>
          </tr>
        </thead>
        <tbody>
          {channels.map((channel) => (
            <Row key={channel.id} channel={channel} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ channel }: { channel: Channel }) {
  const { state, word, detail } = healthOf(channel, nowMs.value)
  const { last_success_at: last } = channel.health
  return (
    <tr>
      <th scope="row">{channel.name}</th>
      <td data-label="Type">{productOf(channel).name}</td>
      <td data-label="State">
        <span class="with-icon">
          <StatusShape state={state} /> {word}
        </span>
        {detail !== null && <span class="muted">{detail}</span>}
      </td>
      <td data-label="Last delivery">{last === null ? '–' : <Time ms={Date.parse(last)} ago />}</td>
    </tr>
  )
}
