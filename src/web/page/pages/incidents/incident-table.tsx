import { useState } from 'preact/hooks'
import { link } from '../../address/base.ts'
import type { OneIncident, SloIncident } from '../../api/history.ts'
import { useResource } from '../../api/use-resource.ts'
import { formatDuration } from '../../format.ts'
import { Acknowledge, AcknowledgedNote, SilencedNote } from '../../incidents/acknowledge.tsx'
import { ofIncident } from '../../incidents/acknowledge-requests.ts'
import { budgetWords, costWords } from '../../incidents/alert-words.ts'
import { isOpenOf, stateWord, toneOf, whatFails } from '../../incidents/incident-words.ts'
import { newestMessages, wasNotified } from '../../incidents/notified-words.ts'
import { SilenceMenu } from '../../silence/silence-menu.tsx'
import { StateShape } from '../../slo/state.tsx'
import { useIncidentReads } from '../../incidents/use-incident-reads.ts'
import { IconButton } from '../../ui/button.tsx'
import { Read } from '../../ui/read.tsx'
import { StatusShape } from '../../ui/status.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { IncidentParts } from './parts/incident-parts.tsx'

/** Incidents, one row each; a row unfolds to its reasons, messages, notes and timeline. */
export function IncidentTable({ incidents, caption }: { incidents: readonly SloIncident[]; caption: string }) {
  return (
    <table class="rows alerts incident-rows">
      <caption class="hidden-text">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Incident</th>
          <th scope="col">Since</th>
          <th scope="col">What fails</th>
          <th scope="col">Budget</th>
          <th scope="col">Notified</th>
          <th scope="col">
            <span class="hidden-text">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {incidents.map((incident) => (
          <IncidentRow key={incident.id} of={incident} />
        ))}
      </tbody>
    </table>
  )
}

function IncidentRow({ of }: { of: SloIncident }) {
  const [isUnfolded, setUnfolded] = useState(false)
  const { id, slo_id, slo_name, state, silence } = of
  const isOpen = state !== 'closed'
  const partsId = `incident-${id}`
  return (
    <>
      <tr data-alert={id} data-slo={slo_id} class={isUnfolded ? 'unfolded' : undefined}>
        <th scope="row">
          <span class="alert-name">
            <IconButton
              icon="chevron-down"
              label={`${isUnfolded ? 'Fold' : 'Unfold'} ${slo_name}`}
              aria-expanded={isUnfolded}
              aria-controls={isUnfolded ? partsId : undefined}
              small
              onClick={() => setUnfolded(!isUnfolded)}
            />
            <IncidentShape of={of} />
            <a href={link(`/incidents/${id}`)}>{slo_name}</a>
          </span>
          <span class="alert-what">
            <StateWord of={of} />
          </span>
          <AcknowledgedNote of={of} />
          {!isOpen || <SilencedNote of={{ silence, isOver: !isOpen }} />}
        </th>
        <td data-label="Since" class="when">
          <Since of={of} />
        </td>
        <td data-label="What fails" class="what-fails">
          {whatFails(of)}
        </td>
        <td data-label="Budget">{budgetWords(of, costWords) ?? '–'}</td>
        <td data-label="Notified">
          <Notified of={of} />
        </td>
        <td class="alert-actions">
          {isOpen && (
            <>
              <Acknowledge of={ofIncident(of)} />
              <SilenceMenu target={{ sloIds: [slo_id] }} current={silence} />
            </>
          )}
        </td>
      </tr>
      {isUnfolded && (
        <tr class="incident-more" id={partsId}>
          <td colSpan={6}>
            <Unfolded id={id} />
          </td>
        </tr>
      )}
    </>
  )
}

function Unfolded({ id }: { id: number }) {
  const read = useResource<OneIncident>(`/incidents/${id}`)
  useIncidentReads([read], (sloId) => isOpenOf(sloId, read.value.peek()?.data))
  return (
    <Read of={read} heightPx={120}>
      {({ data }) => <IncidentParts of={data} as="h3" />}
    </Read>
  )
}

/** Shape of the state of an incident, as its SLO has it; of a closed one, that of its severity without a colour. */
export function IncidentShape({ of: { state, severity } }: { of: Pick<SloIncident, 'state' | 'severity'> }) {
  return state === 'closed' ? <StatusShape state={severity} stale /> : <StateShape state={state} />
}

/** State of an incident in its colour; a closed one has none. Its time changes without drawing the row again. */
export function StateWord({ of }: { of: SloIncident }) {
  const word = useNow((nowMs) => stateWord(of, nowMs), [of])
  return <span class={`state-word ${of.state === 'closed' ? 'stale' : toneOf(of)}`}>{word}</span>
}

function Since({ of: { began_at, since, state, duration_seconds, relapses } }: { of: SloIncident }) {
  const isFailing = state !== 'closed' && state !== 'recovering'
  const startMs = Date.parse(isFailing ? since : began_at)
  const lasted = useNow(
    (nowMs) => formatDuration(isFailing ? (nowMs - startMs) / 1000 : duration_seconds),
    [isFailing, startMs, duration_seconds],
  )
  return (
    <>
      <Time ms={startMs} />
      <div class="muted">{lasted}</div>
      {relapses > 0 && <div class="muted">failed again {relapses === 1 ? 'once' : `${relapses} times`}</div>}
    </>
  )
}

const maxChannels = 3

function Notified({ of }: { of: SloIncident }) {
  const messages = newestMessages(of)
  if (messages.length === 0) return <span class="muted">nobody{wasNotified(of) && ' since'}</span>
  const more = messages.length - maxChannels
  return (
    <ul class="deliveries">
      {messages.slice(0, maxChannels).map(({ channel, about, atMs, isFailed, isWaiting }) => (
        <li key={channel} class={isFailed ? 'crit-text' : undefined}>
          {about === 'recovered' ? `${channel}: end` : channel}{' '}
          {isFailed ? 'failed' : isWaiting ? 'waiting' : <Time ms={atMs} exact />}
        </li>
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  )
}
