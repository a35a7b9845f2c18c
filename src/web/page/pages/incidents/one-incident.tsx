import { useState } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { ofIncidents } from '../../api/live-reads.ts'
import type { OneIncident } from '../../api/history.ts'
import type { Resource } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { formatBurn, formatDuration } from '../../format.ts'
import { Acknowledge, AcknowledgedNote, SilencedNote } from '../../incidents/acknowledge.tsx'
import { ofIncident } from '../../incidents/acknowledge-requests.ts'
import { budgetWords, capitalized } from '../../incidents/alert-words.ts'
import { incidentSentence, hasOpenIncident, stateWord, toneOf } from '../../incidents/incident-words.ts'
import { notifiedSentence } from '../../incidents/notified-words.ts'
import { SilenceMenu } from '../../silence/silence-menu.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Page, ReadPage } from '../../ui/page.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { AskedByLink } from './asked-by-link.tsx'
import { CloseByHand } from './close-by-hand.tsx'
import { IncidentShape } from './incident-table.tsx'
import { IncidentParts } from './parts/incident-parts.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { afterDeployWords, incidentExcludedWords, incidentTitle, relapsedWords } from './words.ts'

type Incident = OneIncident['data']

/** Page of an incident: its state in a sentence, its parts, and possible actions. */
export function IncidentPage({ id }: { id: number }) {
  const read = useRead<OneIncident>(`/incidents/${id}`, {
    live: ofIncidents({ isFailing: (sloId, incident) => hasOpenIncident(sloId, incident?.data) }),
  })
  useRowKeys(read.value.value?.data.slo_id)
  return (
    <ReadPage of={read} title="Incident">
      {({ data }) => <Loaded incident={data} read={read} />}
    </ReadPage>
  )
}

function Loaded({ incident, read }: { incident: Incident; read: Resource<OneIncident> }) {
  const { slo_id, slo_name, silence, not_notified, state } = incident
  const [isClosing, setClosing] = useState(false)
  const isOpen = state !== 'closed'
  const word = useNow((nowMs) => stateWord(incident, nowMs), [incident])
  const sentence = useNow((nowMs) => incidentSentence(incident, nowMs), [incident])
  const notified = useNow((nowMs) => notifiedSentence(incident, nowMs, not_notified), [incident])
  return (
    <Page
      title={incidentTitle(slo_name)}
      class="slo incidents one-alert"
      crumbs={[['/incidents', 'Incidents']]}
      status={
        <span class={`status ${isOpen ? toneOf(incident) : 'stale'}`}>
          <IncidentShape of={incident} />
          <span>{word}</span>
        </span>
      }
      actions={
        <>
          {isOpen && (
            <>
              <Acknowledge of={ofIncident(incident)} />
              <SilenceMenu target={{ sloIds: [slo_id] }} current={silence} />
              <Button unavailable={whyNot('edit')} onClick={() => setClosing(true)}>
                Close…
              </Button>
            </>
          )}
          <LinkButton href={link(`/slos/${slo_id}`)}>Open the SLO</LinkButton>
        </>
      }
      head={
        <>
          <p class="sentence">
            {sentence} {notified}
          </p>
          <AcknowledgedNote of={incident} />
          <SilencedNote of={{ silence, isAlertOver: !isOpen }} />
          {isClosing && <CloseByHand incident={incident} onClose={() => setClosing(false)} />}
        </>
      }
      read={read}
    >
      <Facts incident={incident} />
      <IncidentParts of={incident} as="h2" />
      <AskedByLink incident={incident} />
    </Page>
  )
}

function Facts({ incident }: { incident: Incident }) {
  const { began_at, since, deploy, relapses, recovered_at, closed_at, peak_burn_rate, severity, duration_seconds } =
    incident
  const isFailing = recovered_at === null && closed_at === null
  const lasted = useNow(
    (nowMs) => formatDuration(isFailing ? (nowMs - Date.parse(began_at)) / 1000 : duration_seconds),
    [isFailing, began_at, duration_seconds],
  )
  return (
    <dl class="card facts">
      <div>
        <dt>Began</dt>
        <dd>
          <Time ms={Date.parse(began_at)} exact />
        </dd>
      </div>
      {deploy && (
        <div>
          <dt>{afterDeployWords(deploy.seconds_before)}</dt>
          <dd>
            <a href={link(`/deploys/${deploy.id}`)}>{deploy.title}</a>
          </dd>
        </div>
      )}
      {relapses > 0 && (
        <div>
          <dt>Failed again</dt>
          <dd>{relapsedWords(<Time ms={Date.parse(since)} exact />, relapses)}</dd>
        </div>
      )}
      <div>
        <dt>{isFailing ? 'For' : 'Lasted'}</dt>
        <dd>{lasted}</dd>
      </div>
      {peak_burn_rate !== null && (
        <div>
          <dt>Fastest burn</dt>
          <dd>{formatBurn(peak_burn_rate)}</dd>
        </div>
      )}
      <div>
        <dt>Cost</dt>
        <dd>{budgetWords(incident) ?? '–'}</dd>
      </div>
      {incident.excluded && (
        <div>
          <dt>Left out</dt>
          <dd>{incidentExcludedWords(incident.excluded)}</dd>
        </div>
      )}
      <div>
        <dt>Severity</dt>
        <dd>{capitalized(severity)}</dd>
      </div>
    </dl>
  )
}
