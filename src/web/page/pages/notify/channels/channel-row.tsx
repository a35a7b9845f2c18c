import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { asSentence } from '../../../format.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { attempt, useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { deleteChannel } from './delete-channel.tsx'
import { healthOf } from './health.ts'
import { iconOf } from './picker.tsx'
import { productOf } from './products.ts'
import { testChannel, type TestAnswer } from './test-channel.ts'
import { TestSaid } from './test-said.tsx'

type Props = {
  channel: Channel
  /** Number of rules that use the channel, and of SLOs that they cover; undefined until that is known. */
  use: { rules: number; slos: number } | undefined
  onEdit: () => void
  onDelete: () => void
}

/** Row of a channel: product, health, use, and the possible actions. */
export function ChannelRow({ channel, use, onEdit, onDelete }: Props) {
  const [answer, setAnswer] = useState<TestAnswer | null>(null)
  const product = productOf(channel)
  const { state, word, detail } = healthOf(channel, nowMs.value)
  const { last_success_at: last } = channel.health
  const unavailable = whyNot('administer')
  const test = useAction(() => testChannel(channel.id, product?.opensIncidents === true), { next: setAnswer })
  const remove = () => {
    if (use?.rules !== 0 || channel.is_default) return onDelete()
    void attempt(() => deleteChannel(channel), { failed: `${channel.name}: not deleted.` })
  }
  return (
    <tr>
      <th scope="row">
        <span class="with-icon">
          <Icon name={iconOf(product?.type ?? channel.channel_type)} />
          <span class="channel-name">
            {channel.name}
            <span class="muted">{product?.name ?? channel.channel_type}</span>
          </span>
        </span>
      </th>
      <td data-label="State">
        <div>
          <span class="with-icon state">
            <StatusShape state={state} /> {word}
          </span>
          {detail !== null && <span class="muted receiver">{asSentence(detail)}</span>}
          <Mail of={channel} />
          <TestSaid answer={answer} />
        </div>
      </td>
      <td data-label="Last delivery">{last === null ? '–' : <Time ms={Date.parse(last)} ago />}</td>
      <td data-label="Notified of">
        {use === undefined ? (
          '–'
        ) : use.rules === 0 && !channel.is_default ? (
          <span class="muted">nothing: no rule</span>
        ) : (
          <a href={link(`/notify/rules?channel=${channel.id}`)}>
            {channel.is_default ? 'Every SLO' : use.slos === 1 ? '1 SLO' : `${use.slos} SLOs`}
          </a>
        )}
      </td>
      <td class="row-actions">
        <div>
          <Button
            small
            isBusy={test.isBusy}
            unavailable={whyNot('edit') ?? (channel.enabled ? undefined : 'It is switched off.')}
            aria-label={`Test ${channel.name}`}
            onClick={test.run}
          >
            {test.isBusy ? 'Waiting' : 'Test'}
          </Button>
          <Button small unavailable={unavailable} aria-label={`Edit ${channel.name}`} onClick={onEdit}>
            Edit
          </Button>
          <Menu
            label={`More of ${channel.name}`}
            isBare
            button={
              <>
                <Icon name="ellipsis" />
                <span class="hidden-text">More of {channel.name}</span>
              </>
            }
            choices={[
              {
                label: channel.enabled ? 'Switch off' : 'Switch on',
                icon: channel.enabled ? 'bell-off' : 'bell',
                unavailable,
                onChoose: () => void switchChannel(channel, !channel.enabled),
              },
              { label: 'Delete', icon: 'trash-2', unavailable, onChoose: remove },
            ]}
          />
        </div>
      </td>
    </tr>
  )
}

/** Notes on a channel's mails: recipients who have not confirmed or who declined, and a warning about the sender. */
function Mail({ of: { recipients = [], warning } }: { of: Channel }) {
  const waiting = recipients.filter(({ status }) => status === 'pending').map(({ address }) => address)
  const declined = recipients.filter(({ status }) => status === 'declined').map(({ address }) => address)
  return (
    <>
      {waiting.length > 0 && <span class="muted receiver">Not confirmed yet: {waiting.join(', ')}</span>}
      {declined.length > 0 && <span class="muted receiver">Want no mail: {declined.join(', ')}</span>}
      {warning && <span class="muted receiver">{warning}</span>}
    </>
  )
}

async function switchChannel({ id, name }: Channel, enabled: boolean): Promise<void> {
  const failed = `${name}: not changed.`
  const change = async (body: object) => {
    await send('PUT', `/notifications/channels/${id}`, { body })
    invalidate('/notifications/')
  }
  const undo = () => attempt(() => change({ enabled: !enabled }), { failed })
  await attempt(() => change({ enabled }), { done: `${name}: switched ${enabled ? 'on' : 'off'}.`, undo, failed })
}
