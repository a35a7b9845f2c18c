import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { inPageWords } from '../../../api/page-words.ts'
import { asSentence, plural } from '../../../format.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { attempt, useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { deleteChannel } from './delete-channel.tsx'
import { healthOf } from './health.ts'
import { iconOf } from './picker.tsx'
import { productOf } from './products.ts'
import { testChannel, type TestAnswer } from './test-channel.ts'
import { TestResult } from './test-result.tsx'
import { declinedWords, notConfirmedWords, switchedText, testLabel } from './words.ts'
import { editLabel, moreLabel, notChangedText, notDeletedText } from '../../../ui/named-words.ts'

/** Name of a channel, with its product. */
export function ChannelName({ of: channel }: { of: Channel }) {
  const product = productOf(channel)
  return (
    <span class="with-icon">
      <Icon name={iconOf(product?.type ?? channel.channel_type)} />
      <span class="channel-name">
        {channel.name}
        <span class="muted">{product?.name ?? channel.channel_type}</span>
      </span>
    </span>
  )
}

/** Health of a channel, and the answer to its test. */
export function ChannelState({ of: channel, answer }: { of: Channel; answer: TestAnswer | null }) {
  const { state, word, detail } = healthOf(channel, nowMs.value)
  return (
    <div>
      <span class="with-icon state">
        <StatusShape state={state} /> {word}
      </span>
      {detail !== null && <span class="muted receiver">{inPageWords(asSentence(detail))}</span>}
      <MailNotes of={channel} />
      <TestResult answer={answer} />
    </div>
  )
}

/** Number of rules that use a channel, and of SLOs that they cover; undefined until that is known. */
type Usage = { rules: number; slos: number } | undefined

/** SLOs of which a channel is notified. */
export function ChannelUse({ of: { id, is_default }, usage }: { of: Channel; usage: Usage }) {
  if (usage === undefined) return <>–</>
  if (usage.rules === 0 && !is_default) return <span class="muted">nothing: no rule</span>
  return (
    <a href={link(`/notify/rules?channel=${id}`)}>{is_default ? 'Every SLO' : plural(usage.slos, '# SLO', '# SLOs')}</a>
  )
}

type ActionsProps = {
  of: Channel
  /** True unless it is known that the channel is notified of nothing: `onDelete` then asks before it is deleted. */
  mayBeUsed: boolean
  onAnswer: (answer: TestAnswer) => void
  onEdit: () => void
  onDelete: () => void
}

export function ChannelActions({ of: channel, mayBeUsed, onAnswer, onEdit, onDelete }: ActionsProps) {
  const unavailable = whyNot('administer')
  const opensIncidents = productOf(channel)?.opensIncidents === true
  const test = useAction(() => testChannel(channel.id, opensIncidents), { next: onAnswer })
  const remove = () => {
    if (mayBeUsed) return onDelete()
    void attempt(() => deleteChannel(channel), { failed: notDeletedText(channel.name) })
  }
  return (
    <>
      <Button
        small
        isBusy={test.isBusy}
        unavailable={whyNot('edit') ?? (channel.enabled ? undefined : 'It is switched off.')}
        aria-label={testLabel(channel.name)}
        onClick={test.run}
      >
        {test.isBusy ? 'Waiting' : 'Test'}
      </Button>
      <Button small unavailable={unavailable} aria-label={editLabel(channel.name)} onClick={onEdit}>
        Edit
      </Button>
      <Menu
        label={moreLabel(channel.name)}
        isBare
        button={
          <>
            <Icon name="ellipsis" />
            <span class="hidden-text">{moreLabel(channel.name)}</span>
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
    </>
  )
}

/** Notes on a channel's mails: recipients who have not confirmed or who declined, and a warning about the sender. */
function MailNotes({ of: { recipients = [], warning } }: { of: Channel }) {
  const waiting = recipients.filter(({ status }) => status === 'pending').map(({ address }) => address)
  const declined = recipients.filter(({ status }) => status === 'declined').map(({ address }) => address)
  return (
    <>
      {waiting.length > 0 && <span class="muted receiver">{notConfirmedWords(waiting)}</span>}
      {declined.length > 0 && <span class="muted receiver">{declinedWords(declined)}</span>}
      {warning && <span class="muted receiver">{warning}</span>}
    </>
  )
}

async function switchChannel({ id, name }: Channel, enabled: boolean): Promise<void> {
  const failed = notChangedText(name)
  const change = async (body: object) => {
    await send('PUT', `/notifications/channels/${id}`, { body })
    invalidate('/notifications/')
  }
  const undo = () => attempt(() => change({ enabled: !enabled }), { failed })
  await attempt(() => change({ enabled }), { done: switchedText(name, enabled), undo, failed })
}
