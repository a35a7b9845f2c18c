import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { whyNotInvite } from '../../api/rights.ts'
import type { Invitation, Organization, OverviewSlo } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.ts'
import { createTestedChannel } from './first-channel.ts'
import { OneField } from './one-field.tsx'
import { invitedSentence, sendLinkSentences, stepLabel, stepsDoneWords, testArrivedText } from './words.ts'

/** First steps of an administrator that are done or to do; nothing once all are done. */
export function Steps({ slos, onClose }: { slos: OverviewSlo[]; onClose: () => void }) {
  const organization = useRead<Organization>('/organization')
  const known = organization.value.value
  if (!known) return null
  const hasAnswer = slos.some(
    ({ measured_at, status_reason }) => measured_at !== null && status_reason !== 'source_error',
  )
  const mayInvite = whyNotInvite() === undefined
  const steps = [hasAnswer, slos.length > 0, known.channel_tested, ...(mayInvite ? [known.users > 1] : [])]
  const done = steps.filter(Boolean).length
  if (done === steps.length) return null
  return (
    <section class="card checklist" aria-labelledby="checklist">
      <header>
        <h2 id="checklist">First steps</h2>
        <span class="muted">{stepsDoneWords(done, steps.length)}</span>
        <span class="spring" />
        <IconButton icon="x" label="Close the first steps" small onClick={onClose} />
      </header>
      <ol>
        <Step isDone={hasAnswer} title="A source answers">
          {slos.length === 0 ? 'Choose one of the ways above.' : 'The first value arrives within two minutes.'}
        </Step>
        <Step isDone={slos.length > 0} title="The first SLO">
          Choose one of the ways above.
        </Step>
        <Step isDone={known.channel_tested} title="A channel is tested">
          <OneField
            field={{ label: 'Webhook or e-mail', placeholder: 'https://hooks.slack.com/…' }}
            button="Send a test"
            onSend={async (value) => {
              const isFirst = await createTestedChannel(value)
              toast(testArrivedText(isFirst))
              await organization.read()
            }}
          />
        </Step>
        {mayInvite && (
          <Step isDone={known.users > 1} title="A second person">
            <Invite />
          </Step>
        )}
      </ol>
    </section>
  )
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : undefined}>
      <h3 aria-label={stepLabel(title, isDone)}>
        <span class="mark" aria-hidden="true">
          {isDone && <Icon name="check" size={14} />}
        </span>
        {title}
      </h3>
      {!isDone && <div class="todo">{children}</div>}
    </li>
  )
}

function Invite() {
  const [invitation, setInvitation] = useState<Invitation>()
  if (!invitation) {
    return (
      <OneField
        field={{ label: 'E-mail', placeholder: 'grace@example.com', type: 'email' }}
        button="Invite"
        onSend={async (email) =>
          setInvitation(
            await send<Invitation>('POST', '/organization/invitations', { body: { email, role: 'member' } }),
          )
        }
      />
    )
  }
  const { email, link, mailed } = invitation
  if (mailed) return <p role="status">{invitedSentence(email)}</p>
  return (
    <label class="stack">
      {sendLinkSentences(email)}
      <input class="input" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
    </label>
  )
}
