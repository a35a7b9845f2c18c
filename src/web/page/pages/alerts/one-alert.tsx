import { useEffect } from 'preact/hooks'
import type { Alert, OneAlert as Answer } from '../../api/history.ts'
import type { Incidents } from '../../api/types.ts'
import { useResource } from '../../api/use-resource.ts'
import { Acknowledge, AcknowledgedNote, SilencedNote } from '../../incidents/acknowledge.tsx'
import { Lasted } from '../../incidents/alert-table.tsx'
import { aboutOf, alertTitle, burnWords, capitalized, costWords, shapeOf } from '../../incidents/alert-words.ts'
import { base, link } from '../../address/base.ts'
import { formatBurn, formatNumber, formatWindow } from '../../format.ts'
import { SilenceMenu } from '../../silence/silence-menu.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Failed, Skeleton } from '../../ui/read.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Happened } from './happened.tsx'
import { incidentDuring } from './incident-during.ts'
import { useAlertKeys } from './use-alert-keys.ts'
import { useAlertReads } from './use-alert-reads.ts'

/** Page of an alert: its events, notifications and their delivery, and possible actions. */
export function OneAlert({ id }: { id: number }) {
  const read = useResource<Answer>(`/notifications/alerts/${id}`)
  const alert = read.value.value?.data
  useAlertReads([read])
  useAlertKeys()
  const name = alert && nameOf(alert)
  useEffect(() => {
    document.title = `${name ?? 'Alert'} · ${words.product}`
  }, [name])
  if (read.error.value?.status === 404) return <NotFound />
  if (!alert) {
    return (
      <div class="page">
        {read.error.value ? <Failed error={read.error.value} onRetry={read.read} /> : <Skeleton heightPx={160} />}
      </div>
    )
  }
  return (
    <div class="page slo one-alert">
      <Header alert={alert} />
      {read.error.value && <Failed error={read.error.value} onRetry={read.read} />}
      <Facts alert={alert} />
      <section class="card section" aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        <Happened alert={alert} notifications={alert.notifications} />
      </section>
    </div>
  )
}

function nameOf(alert: Alert): string {
  return `${aboutOf(alert)}: ${alertTitle(alert)}`
}

function Header({ alert }: { alert: Answer['data'] }) {
  const { slo_id: sloId, ended_at } = alert
  const isFiring = ended_at === null
  return (
    <header class="page-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link('/alerts')}>Alerts</a>
      </nav>
      <div class="title">
        <h1>{nameOf(alert)}</h1>
        <Status state={shapeOf(alert)} stale={!isFiring} word={isFiring ? 'Firing' : 'Ended'} />
      </div>
      <div class="actions">
        {isFiring && <Acknowledge alert={alert} />}
        {isFiring && sloId !== null && <SilenceMenu target={{ sloIds: [sloId] }} current={alert.silence} />}
        {sloId !== null && <LinkButton href={link(`/slos/${sloId}`)}>Open the SLO</LinkButton>}
      </div>
      <p class="sentence">
        {sentenceOf(alert)}{' '}
        {sloId === null ? (
          <a href={`${base}/api/v1/health`} target="_blank" rel="noopener">
            What to do about it
          </a>
        ) : (
          <IncidentLink sloId={sloId} alert={alert} />
        )}
      </p>
      <AcknowledgedNote alert={alert} />
      <SilencedNote alert={alert} />
    </header>
  )
}

/** Sentence that describes an alert. */
export function sentenceOf(alert: Alert): string {
  const name = aboutOf(alert)
  const { kind, threshold_percent: percent } = alert
  if (kind === 'condition') return `Something is wrong with nines itself: ${alertTitle(alert)}.`
  if (kind === 'budget') {
    return percent === 0 ? `The error budget of ${name} was used up.` : `${name} had ${alertTitle(alert)} or less.`
  }
  if (kind === 'down') {
    const reason = alert.reason === null ? '' : `: ${alert.reason}`
    return `Every check of ${name} ${alert.ended_at === null ? 'fails' : 'failed'}${reason}.`
  }
  if (kind === 'status') return `${name} was below its target.`
  const rate = alert.burn_rate
  if (rate && rate.long !== null) {
    const both = `${formatBurn(rate.long)} over ${formatWindow(rate.long_window)}, ${formatBurn(rate.short ?? 0)} over ${formatWindow(rate.short_window)}`
    return `${name} burns its error budget: ${both}. The tier fires above ${formatNumber(rate.factor, 1)}× over both.`
  }
  return `${name} burned its error budget too fast.`
}

/** Link to the incident of the SLO's window that overlaps the alert. */
function IncidentLink({ sloId, alert }: { sloId: number; alert: Alert }) {
  const { value } = useResource<Incidents>(`/slos/${sloId}/incidents`)
  const incident = incidentDuring(value.value?.incidents ?? [], alert)
  return incident ? <a href={link(`/slos/${sloId}?incident=${incident.key}`)}>Open its incident</a> : null
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
        <dd>{capitalized(alert.severity)}</dd>
      </div>
    </dl>
  )
}
