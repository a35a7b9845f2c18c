import { ofIncidents } from '../../../api/live-reads.ts'
import type { Alert, OneAlert as Answer } from '../../../api/history.ts'
import type { Resource } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { Acknowledge, AcknowledgedNote, SilencedNote } from '../../../incidents/acknowledge.tsx'
import { ofAlert } from '../../../incidents/acknowledge-requests.ts'
import { Lasted } from '../../../incidents/alert-table.tsx'
import {
  aboutOf,
  alertTitle,
  burnWords,
  capitalized,
  costWords,
  severityWord,
  shapeOf,
} from '../../../incidents/alert-words.ts'
import { base, link } from '../../../address/base.ts'
import { formatBurn } from '../../../format.ts'
import { SilenceMenu } from '../../../silence/silence-menu.tsx'
import { LinkButton } from '../../../ui/button.tsx'
import { Page, ReadPage } from '../../../ui/page.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { Delivery } from '../parts/delivery.tsx'
import { StepList } from '../parts/step-list.tsx'
import { stepsOf } from '../steps.ts'
import { useRowKeys } from '../use-row-keys.ts'
import { sentenceOf } from './words.ts'

/** Page of an alert: its events, notifications and their delivery, and possible actions. */
export function OneAlert({ id }: { id: number }) {
  const read = useRead<Answer>(`/notifications/alerts/${id}`, { live: ofIncidents() })
  useRowKeys(read.value.value?.data.slo_id ?? undefined)
  return (
    <ReadPage of={read} title="Alert">
      {({ data }) => <Loaded alert={data} read={read} />}
    </ReadPage>
  )
}

function Loaded({ alert, read }: { alert: Answer['data']; read: Resource<Answer> }) {
  const { slo_id: sloId, incident_id: incidentId, ended_at } = alert
  const isFiring = ended_at === null
  return (
    <Page
      title={`${aboutOf(alert)}: ${alertTitle(alert)}`}
      class="slo incidents one-alert"
      crumbs={[
        ['/incidents', 'Incidents'],
        incidentId === null ? ['/incidents?view=alerts', 'Other alerts'] : [`/incidents/${incidentId}`, 'Incident'],
      ]}
      status={<Status state={shapeOf(alert)} stale={!isFiring} word={isFiring ? 'Firing' : 'Ended'} />}
      actions={
        <>
          {isFiring && <Acknowledge of={ofAlert(alert)} />}
          {isFiring && sloId !== null && <SilenceMenu target={{ sloIds: [sloId] }} current={alert.silence} />}
          {sloId !== null && <LinkButton href={link(`/slos/${sloId}`)}>Open the SLO</LinkButton>}
        </>
      }
      head={
        <>
          <p class="sentence">
            {sentenceOf(alert)}{' '}
            {sloId === null ? (
              <AboutCondition name={alert.condition} />
            ) : (
              incidentId !== null && <a href={link(`/incidents/${incidentId}`)}>Open its incident</a>
            )}
          </p>
          <AcknowledgedNote of={alert} />
          <SilencedNote of={{ ...alert, isAlertOver: !isFiring }} />
        </>
      }
      read={read}
    >
      <Facts alert={alert} />
      <section class="card section" aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        <StepList
          of={stepsOf(alert, alert.notifications)}
          contentBelow={({ notification }) => notification && <Delivery of={notification} />}
        />
        {alert.notifications.length === 0 && (
          <p class="muted">
            {incidentId === null
              ? 'Nobody was notified: no rule selects it, or it was silenced, inhibited or acknowledged.'
              : 'Nobody was notified of this alert by itself; its incident says who was notified.'}
          </p>
        )}
      </section>
    </Page>
  )
}

/** Pages on which a condition of nines itself is seen, with the label of the link. */
const pages: Record<string, [path: string, label: string] | undefined> = {
  scrapes_failing: ['/collect/targets', 'See the metrics endpoints'],
  source_silent: ['/collect/sources', 'See the sources'],
  certificate: ['/collect/probes', 'See the certificates'],
  outbox_delayed: ['/notify/channels', 'See the channels'],
}

function AboutCondition({ name }: { name: string | null }) {
  const [path, label] = pages[name ?? ''] ?? []
  return path === undefined ? (
    <a href={`${base}/api/v1/health`} target="_blank" rel="noopener">
      What to do about it
    </a>
  ) : (
    <a href={link(path)}>{label}</a>
  )
}

function Facts({ alert }: { alert: Alert }) {
  const burn = burnWords(alert)
  return (
    <dl class="card facts">
      <div>
        <dt>Began</dt>
        <dd>
          <Time ms={Date.parse(alert.began_at)} />
        </dd>
      </div>
      <div>
        <dt>{alert.ended_at === null ? 'For' : 'Lasted'}</dt>
        <dd>
          <Lasted of={alert} />
        </dd>
      </div>
      {burn !== undefined && (
        <div>
          <dt>Now</dt>
          <dd>{burn}</dd>
        </div>
      )}
      {alert.peak_burn_rate !== null && (
        <div>
          <dt>Peak</dt>
          <dd>{formatBurn(alert.peak_burn_rate)}</dd>
        </div>
      )}
      {alert.slo_id !== null && (
        <div>
          <dt>Budget it cost</dt>
          <dd>{costWords(alert)}</dd>
        </div>
      )}
      <div>
        <dt>Severity</dt>
        <dd>{capitalized(severityWord(alert))}</dd>
      </div>
    </dl>
  )
}
