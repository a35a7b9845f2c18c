import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { whyNot } from '../../../api/rights.ts'
import type { Budget, Checks, Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { SilenceMenu } from '../../../silence/silence-menu.tsx'
import { SilenceNote } from '../../../silence/silence-note.tsx'
import { onKeys } from '../../../ui/shortcuts.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { StateShape } from '../../../slo/state.tsx'
import { isBurning, shownState, type Stated } from '../../../slo/states.ts'
import { chunk } from '../../../ui/chunk.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { nowSentence } from '../now-sentence.ts'
import { sentenceOf } from '../sentence.ts'
import type { OpenIncident } from './open-incident.ts'
import { SloMenu } from './slo-menu.tsx'

const Notified = chunk(async () => (await import('./notified.tsx')).Notified, null)

type Shown = {
  slo: Slo
  budget: Budget | undefined
  /** State of now; undefined: not read yet. */
  now: Stated | undefined
  incident: OpenIncident | undefined
  checks: Checks | undefined
}

/** Header of an SLO's page: name, the sentence about now, objective, and the age of the data. */
export function SloHeader({ slo, budget, now, incident, checks }: Shown) {
  const stated = useMemo(
    () => budget && now && { ...budget, ...now, measured_since: slo.measured_since },
    [budget, now, slo.measured_since],
  )
  return (
    <header class="page-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link('/')}>Overview</a>
      </nav>
      <div class="title">
        <h1>{slo.name}</h1>
      </div>
      <div class="actions">
        {slo.active && <SilenceMenu target={{ sloIds: [slo.id] }} current={slo.silence} hasKey />}
        <EditButton slo={slo} />
        <SloMenu slo={slo} />
      </div>
      {slo.active && (stated ? <Now of={stated} incident={incident} checks={checks} /> : <p class="now" />)}
      <p class="sentence">
        {sentenceOf(slo)}{' '}
        {Object.entries(slo.labels).map(([name, value]) => (
          <a key={name} class="label" href={link(`/?label=${encodeURIComponent(`${name}=${value}`)}`)}>
            {name}={value}
          </a>
        ))}
      </p>
      <p class="age muted">
        {budget?.measured_at && budget.state !== 'measuring' && (
          <>
            measured <Time ms={Date.parse(budget.measured_at)} ago />
          </>
        )}
      </p>
      {slo.active && slo.silence && <SilenceNote silence={slo.silence} />}
    </header>
  )
}

/** Link to the form of the SLO; also opened by the key `e`. */
function EditButton({ slo }: { slo: Slo }) {
  const { route } = useLocation()
  const address = link(`/slos/${slo.id}/edit`)
  const unavailable = whyNot('edit')
  useEffect(() => (unavailable ? undefined : onKeys({ e: () => route(address) })), [unavailable, address])
  return unavailable ? (
    <Button icon="pencil" unavailable={unavailable}>
      Edit
    </Button>
  ) : (
    <LinkButton icon="pencil" href={address}>
      Edit
    </LinkButton>
  )
}

type NowProps = {
  of: Budget & Stated & { measured_since: string }
  incident: OpenIncident | undefined
  checks: Checks | undefined
}

/** Sentence about an SLO at this second: its state, what is left, and who was notified. Links to its open incident. */
function Now({ of, incident, checks }: NowProps) {
  const text = useNow((nowMs) => nowSentence(of, nowMs, { incident, checks }), [of, incident, checks])
  return (
    <p class="now">
      <StateShape state={shownState(of)} size={20} />{' '}
      <span>
        {text}
        {incident && isBurning(of.state) && <Notified of={incident} />}
        {incident && (
          <>
            {' '}
            <a href={link(`/incidents/${incident.id}`)}>Incident</a>
          </>
        )}
      </span>
    </p>
  )
}
