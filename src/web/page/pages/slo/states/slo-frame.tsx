import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { whyNot } from '../../../api/rights.ts'
import type { Budget, Checks, Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { routes } from '../../../address/routes.ts'
import { SilenceMenu } from '../../../silence/silence-menu.tsx'
import { onKeys } from '../../../ui/shortcuts.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { StateShape } from '../../../slo/state.tsx'
import { isBurning, shownState, type Stated, states } from '../../../slo/states.ts'
import { chunk } from '../../../ui/chunk.tsx'
import { Page, tabsOf } from '../../../ui/page.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { nowSentence } from '../now-sentence.ts'
import { sentenceOf } from '../sentence.ts'
import type { OpenIncident } from './open-incident.ts'
import { SloMenu } from './slo-menu.tsx'
import { measuredWords, sloTitle } from './words.ts'

const SilenceNote = chunk(async () => (await import('../../../silence/silence-note.tsx')).SilenceNote, 20)
const Notified = chunk(async () => (await import('./notified.tsx')).Notified, null)

type Props = {
  slo: Slo
  view: keyof typeof routes.slo.views
  /** Absent: not read yet. */
  budget?: Budget | undefined
  /** Current state; absent: not read yet. */
  stated?: Stated | undefined
  incident?: OpenIncident | undefined
  checks?: Checks | undefined
  children: ComponentChildren
}

/** Page of an SLO around a view: name, the sentence about now, objective, and the age of the data. */
export function SloFrame({ slo, view, budget, stated, incident, checks, children }: Props) {
  const statedBudget = useMemo(
    () => budget && stated && { ...budget, ...stated, measured_since: slo.measured_since },
    [budget, stated, slo.measured_since],
  )
  const state = useNow((nowMs) => (stated === undefined ? '' : titleWord(stated, nowMs)), [stated])
  return (
    <Page
      title={sloTitle(slo.name, view === '' ? '' : routes.slo.views[view])}
      heading={slo.name}
      state={state.value}
      class={budget?.stale ? 'slo stale' : 'slo'}
      crumbs={[['/', 'Overview']]}
      status={null}
      actions={
        <>
          {slo.active && <SilenceMenu target={{ sloIds: [slo.id] }} current={slo.silence} hasKey />}
          <EditButton slo={slo} />
          <SloMenu slo={slo} />
        </>
      }
      head={
        <>
          {slo.active &&
            (statedBudget ? <Now of={statedBudget} incident={incident} checks={checks} /> : <p class="now" />)}
          <p class="sentence">
            {sentenceOf(slo)}{' '}
            {Object.entries(slo.labels).map(([name, value]) => (
              <a key={name} class="label" href={link(`/?label=${encodeURIComponent(`${name}=${value}`)}`)}>
                {name}={value}
              </a>
            ))}
          </p>
          <p class="age muted">
            {budget?.measured_at &&
              budget.state !== 'measuring' &&
              measuredWords(<Time ms={Date.parse(budget.measured_at)} ago />)}
          </p>
          {slo.active && slo.silence && <SilenceNote silence={slo.silence} />}
        </>
      }
      views={{ label: 'Views of the SLO', tabs: tabsOf(routes.slo.views, `/slos/${slo.id}`) }}
    >
      {children}
    </Page>
  )
}

/** Word before the title of the document: the state, unless the SLO is on track or has no figures yet. */
function titleWord(stated: Stated, nowMs: number): string {
  return stated.state === 'ok' || stated.state === 'measuring' ? '' : states[stated.state].words(stated, nowMs).word
}

/** Link to the form of the SLO; also opened by the key `e`. */
function EditButton({ slo }: { slo: Slo }) {
  const { route } = useLocation()
  const address = link(`/slos/${slo.id}/edit`)
  const unavailable = whyNot('edit')
  useLayoutEffect(() => (unavailable ? undefined : onKeys({ e: () => route(address) })), [unavailable, address])
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
