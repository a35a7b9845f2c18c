import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { link } from '../../../address/base.ts'
import type { OneIncident } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { alertTitle, capitalized, shapeOf } from '../../../incidents/alert-words.ts'
import { isUnknownEnd, notNotifiedWords } from '../../../incidents/notified-words.ts'
import { StatusShape } from '../../../ui/status.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { incidentSteps, notifiedWords } from '../steps.ts'
import { alertWords, firedWords, notNotifiedSentence } from '../words.ts'
import { WrittenAccount } from './account.tsx'
import { Delivery } from './delivery.tsx'
import { Notes } from './notes.tsx'
import { StepList } from './step-list.tsx'

type Incident = OneIncident['data']

/** Parts of an incident: reasons, messages, notes, account and timeline. `as`: the level of their headings. */
export function IncidentParts({ of, as }: { of: Incident; as: 'h2' | 'h3' }) {
  return (
    <div class="incident-parts">
      <Part title="Reasons" as={as}>
        <Reasons of={of} />
      </Part>
      <Part title="Who was notified" as={as}>
        <Messages of={of} />
      </Part>
      <Part title="Notes" as={as}>
        <Notes of={of} />
      </Part>
      <Part title="Account" as={as}>
        <WrittenAccount of={of} />
      </Part>
      <Part title="What happened" as={as}>
        <StepList of={incidentSteps(of)} />
      </Part>
    </div>
  )
}

function Part({ title, as: Heading, children }: { title: string; as: 'h2' | 'h3'; children: ComponentChildren }) {
  const id = useId()
  return (
    <section class={Heading === 'h2' ? 'card section' : undefined} aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {children}
    </section>
  )
}

function Reasons({ of: { alerts, state } }: { of: Incident }) {
  return (
    <ul class="reasons">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <StatusShape state={shapeOf(alert)} stale={alert.ended_at !== null || state === 'closed'} />
          <div>
            {alertWords(<a href={link(`/alerts/${alert.id}`)}>{capitalized(alertTitle(alert))}</a>, alert.reason)}
            <div class="muted">
              {firedWords({
                began: <Time ms={Date.parse(alert.began_at)} exact />,
                ended: alert.ended_at === null ? null : <Time ms={Date.parse(alert.ended_at)} exact />,
                isClosed: state === 'closed',
                peak: alert.peak_burn_rate,
              })}
            </div>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Messages({ of }: { of: Incident }) {
  const { notifications, not_notified, slo_id } = of
  const isUnknown = isUnknownEnd(of)
  const others = not_notified.filter(({ reason }) => reason !== 'failed') // a failed message is among those above
  return (
    <>
      {notifications.length > 0 && (
        <ul class="messages">
          {notifications.map((one) => (
            <li key={one.id}>
              <div>
                {notifiedWords(one, { isUnknown })}, <Time ms={Date.parse(one.sent_at ?? one.created_at)} exact />
              </div>
              <Delivery of={one} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul class="messages" aria-label="Not notified">
          {others.map((one) => (
            <li key={one.channel_id}>
              <NotNotified of={one} sloId={slo_id} />
            </li>
          ))}
        </ul>
      )}
      {notifications.length === 0 && not_notified.length === 0 && (
        <p class="muted">
          Nobody was notified: there is no channel. <a href={link('/notify/channels')}>Make one</a>
        </p>
      )}
    </>
  )
}

function NotNotified({ of, sloId }: { of: Incident['not_notified'][number]; sloId: number }) {
  const why = useNow((atMs) => notNotifiedWords(of, atMs), [of])
  return (
    <>
      {notNotifiedSentence(of.channel_name, why)}{' '}
      {of.reason === 'no_rule' && !whyNot('edit') && <a href={link(`/slos/${sloId}/alerting`)}>Notify for this one</a>}
    </>
  )
}
