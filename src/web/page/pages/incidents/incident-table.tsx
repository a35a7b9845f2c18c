import { useState } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { ofIncidents } from '../../api/live-reads.ts'
import type { OneIncident, SloIncident } from '../../api/history.ts'
import { useRead } from '../../api/use-read.ts'
import { formatDuration, plural } from '../../format.ts'
import { Acknowledge, AcknowledgedNote, SilencedNote } from '../../incidents/acknowledge.tsx'
import { ofIncident } from '../../incidents/acknowledge-requests.ts'
import { budgetWords, costWords } from '../../incidents/alert-words.ts'
import { hasOpenIncident, stateWord, toneOf, whatFails } from '../../incidents/incident-words.ts'
import { newestMessages, wasNotified } from '../../incidents/notified-words.ts'
import { SilenceMenu } from '../../silence/silence-menu.tsx'
import { StateShape } from '../../slo/state.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Read } from '../../ui/read.tsx'
import { StatusShape } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { IncidentParts } from './parts/incident-parts.tsx'
import { foldLabel, messageWords, moreChannelsWords, nobodyWords } from './words.ts'

/** Incidents, one row each; a row unfolds to its reasons, messages, notes and timeline. */
export function IncidentTable({ incidents, caption }: { incidents: readonly SloIncident[]; caption: string }) {
  const [unfolded, setUnfolded] = useState<readonly number[]>([])
  const toggle = (id: number) =>
    setUnfolded(unfolded.includes(id) ? unfolded.filter((one) => one !== id) : [...unfolded, id])
  const name: Column<SloIncident> = {
    head: 'Incident',
    cell: (one) => <Name of={one} isUnfolded={unfolded.includes(one.id)} onToggle={() => toggle(one.id)} />,
  }
  return (
    <Table
      class="alerts incident-rows"
      caption={caption}
      columns={[name, ...columns]}
      rows={incidents}
      rowKey={({ id }) => id}
      attributes={({ id, slo_id }) => ({
        'data-alert': id,
        'data-slo': slo_id,
        class: unfolded.includes(id) ? 'unfolded' : undefined,
      })}
      rowBelow={({ id }, columnCount) =>
        unfolded.includes(id) && (
          <tr class="incident-more" id={partsIdOf(id)}>
            <td colSpan={columnCount}>
              <Unfolded id={id} />
            </td>
          </tr>
        )
      }
    />
  )
}

const columns: Column<SloIncident>[] = [
  { head: 'Since', class: 'when', cell: (one) => <Since of={one} /> },
  { head: 'What fails', class: 'what-fails', cell: whatFails },
  { head: 'Budget', cell: (one) => budgetWords(one, costWords) ?? '–' },
  { head: 'Notified', cell: (one) => <Notified of={one} /> },
  {
    head: 'What to do',
    isHeadHidden: true,
    class: 'alert-actions',
    cell: (one) =>
      one.state !== 'closed' && (
        <>
          <Acknowledge of={ofIncident(one)} />
          <SilenceMenu target={{ sloIds: [one.slo_id] }} current={one.silence} />
        </>
      ),
  },
]

function partsIdOf(id: number): string {
  return `incident-${id}`
}

function Name({ of, isUnfolded, onToggle }: { of: SloIncident; isUnfolded: boolean; onToggle: () => void }) {
  const { id, slo_name, state, silence } = of
  return (
    <>
      <span class="alert-name">
        <IconButton
          icon="chevron-down"
          label={foldLabel(slo_name, isUnfolded)}
          aria-expanded={isUnfolded}
          aria-controls={isUnfolded ? partsIdOf(id) : undefined}
          small
          onClick={onToggle}
        />
        <IncidentShape of={of} />
        <a href={link(`/incidents/${id}`)}>{slo_name}</a>
      </span>
      <span class="alert-what">
        <StateWord of={of} />
      </span>
      <AcknowledgedNote of={of} />
      {state !== 'closed' && <SilencedNote of={{ silence, isAlertOver: false }} />}
    </>
  )
}

function Unfolded({ id }: { id: number }) {
  const read = useRead<OneIncident>(`/incidents/${id}`, {
    live: ofIncidents({ isFailing: (sloId, incident) => hasOpenIncident(sloId, incident?.data) }),
  })
  return (
    <Read of={read} heightPx={120}>
      {({ data }) => <IncidentParts of={data} as="h3" />}
    </Read>
  )
}

/** Shape of an incident: that of its state, as for an SLO; once it is closed, that of its severity, without a colour. */
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
      {relapses > 0 && <div class="muted">{plural(relapses, 'failed again once', 'failed again # times')}</div>}
    </>
  )
}

const maxChannels = 3

function Notified({ of }: { of: SloIncident }) {
  const messages = newestMessages(of)
  if (messages.length === 0) return <span class="muted">{nobodyWords(wasNotified(of))}</span>
  const more = messages.length - maxChannels
  return (
    <ul class="deliveries">
      {messages.slice(0, maxChannels).map(({ channel, about, atMs, isFailed, isWaiting }) => (
        <li key={channel} class={isFailed ? 'crit-text' : undefined}>
          {messageWords(
            channel,
            about === 'recovered',
            isFailed ? 'failed' : isWaiting ? 'waiting' : <Time ms={atMs} exact />,
          )}
        </li>
      ))}
      {more > 0 && <li class="muted">{moreChannelsWords(more)}</li>}
    </ul>
  )
}
