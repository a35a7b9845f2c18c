import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Timeline } from '../../../api/history.ts'
import type { Incident, Incidents } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { whyNot } from '../../../api/rights.ts'
import { formatCost } from '../../../format.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Time } from '../../../ui/time.tsx'
import { alertTitle, capitalized } from '../../../incidents/alert-words.ts'
import { ofAllowed } from '../../../slo/budget-words.ts'
import { Breakdown, type Cause } from './breakdown.tsx'
import { exactnessSentence, failedOfWords, firedWords, worstLabel, worstWords } from './words.ts'

type Props = {
  id: string
  of: Incidents
  incident: Incident
  lasted: ReadonlySignal<string>
  timeline: Timeline | undefined
  onZoom: () => void
  onCause: (cause: Cause) => void
}

/** Details of an incident, and its breakdown by label. */
export function IncidentDetails({ id, of, incident, lasted, timeline, onZoom, onCause }: Props) {
  const { began_at, ended_at, ongoing, resolution_seconds, bad_events, total_events, peak_percent } = incident
  return (
    <div class="incident" id={id}>
      <dl>
        <Fact name="Began">
          <Time ms={Date.parse(began_at)} />
        </Fact>
        <Fact name={ongoing ? 'Failed so far' : 'Ended'}>{ongoing ? lasted : <Time ms={Date.parse(ended_at)} />}</Fact>
        <Fact name={worstLabel(resolution_seconds)}>{worstWords(peak_percent)}</Fact>
        <Fact name="Failed">{failedOfWords(bad_events, total_events, of.unit)}</Fact>
        <Fact name="Budget used">{formatCost(incident.budget_used_percent)}</Fact>
        <Fact name="As time">{ofAllowed(incident.budget_used_percent, of)}</Fact>
      </dl>
      {resolution_seconds > 60 && <p class="muted">{exactnessSentence(resolution_seconds)}</p>}
      {timeline && <Alerts of={incident} timeline={timeline} />}
      <Breakdown sloId={of.slo_id} incidentKey={incident.key} endedAt={ended_at} onCause={onCause} />
      <div class="buttons">
        <Button small icon="search" onClick={onZoom}>
          Zoom to it
        </Button>
        {incident.id !== null && (
          <LinkButton small icon="siren" href={link(`/incidents/${incident.id}`)}>
            Open the incident
          </LinkButton>
        )}
        {!whyNot('edit') && (
          <LinkButton small icon="calendar-off" href={link(correctionPath(of.slo_id, incident))}>
            Leave it out…
          </LinkButton>
        )}
      </div>
    </div>
  )
}

/** Address of the form that leaves the time of an incident out of the budget. */
function correctionPath(sloId: number, { began_at, ended_at }: Incident): string {
  return `/corrections?new=1&slo=${sloId}&from=${Date.parse(began_at)}&to=${Date.parse(ended_at)}`
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Alerts that fired during an incident. */
function Alerts({ of, timeline }: { of: Incident; timeline: Timeline }) {
  const fired = timeline.alerts.filter(
    ({ began_at, ended_at }) =>
      Date.parse(began_at) <= Date.parse(of.ended_at) &&
      (ended_at === null || Date.parse(ended_at) >= Date.parse(of.began_at)),
  )
  const isBefore = timeline.changes.some(
    ({ event, changed_at }) => event === 'created' && Date.parse(changed_at) > Date.parse(of.ended_at),
  )
  if (fired.length === 0) {
    return <p class="muted">{isBefore ? 'It was over before this SLO was made.' : 'No alert fired during it.'}</p>
  }
  return (
    <ul aria-label="Alerts that fired">
      {fired.map(({ id, began_at, ended_at, ...alert }) => (
        <li key={id}>
          {capitalized(alertTitle(alert))}{' '}
          <span class="muted">
            {firedWords(
              <Time ms={Date.parse(began_at)} />,
              ended_at === null ? null : (Date.parse(ended_at) - Date.parse(began_at)) / 1000,
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
