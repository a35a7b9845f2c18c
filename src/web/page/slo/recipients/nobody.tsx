import { send } from '../../api/client.ts'
import type { Channel, Channels } from '../../api/history.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { link } from '../../address/base.ts'
import { attempt } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { WhenSeen } from '../../ui/when-seen.tsx'
import { remedyOf } from './recipients.ts'
import { notifiedOfAllText, notifyOfAllWords } from './words.ts'
import { notChangedText } from '../../ui/named-words.ts'

const maxButtons = 3

/** Warning that nobody is notified of an SLO, with a button that changes that. */
export function Nobody() {
  return (
    <div class="notice warning nobody">
      <p class="with-icon">
        <Icon name="bell-off" />
        <span>
          <strong>Nobody is notified.</strong> Alerts of this SLO are seen on this page alone.
        </span>
      </p>
      <WhenSeen heightPx={28}>{() => <Remedies />}</WhenSeen>
    </div>
  )
}

function Remedies() {
  const channels = useRead<Channels>('/notifications/channels').value.value?.data
  if (!channels) return null
  const remedy = remedyOf(channels)
  if (remedy.kind === 'add') return <Fix path="/notify/channels?new=choose" text="Add a channel" />
  if (remedy.kind === 'enable') return <Fix path="/notify/channels" text="Switch a channel on" />
  const offered = remedy.channels.slice(0, maxButtons)
  return (
    <div class="remedies cluster">
      {offered.map((channel, at) => (
        <Button
          key={channel.id}
          small
          kind={at === 0 ? 'primary' : 'plain'}
          unavailable={whyNot('administer')}
          onClick={() => void setDefault(channel, true)}
        >
          {notifyOfAllWords(channel.name)}
        </Button>
      ))}
    </div>
  )
}

function Fix({ path, text }: { path: string; text: string }) {
  return (
    <LinkButton small kind="primary" href={link(path)}>
      {text}
    </LinkButton>
  )
}

async function setDefault({ id, name }: Pick<Channel, 'id' | 'name'>, is_default: boolean): Promise<void> {
  await attempt(() => send('PUT', `/notifications/channels/${id}`, { body: { is_default } }), {
    done: is_default ? notifiedOfAllText(name) : 'Taken back.',
    undo: is_default ? () => setDefault({ id, name }, false) : undefined,
    failed: notChangedText(name),
    ended: () => ['/notifications/', '/slos/'].forEach(invalidate),
  })
}
