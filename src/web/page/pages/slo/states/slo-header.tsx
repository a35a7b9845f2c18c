import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { me } from '../../../api/session.ts'
import type { Budget, Incidents, Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { SilenceMenu } from '../../../silence/silence-menu.tsx'
import { SilenceNote } from '../../../silence/silence-note.tsx'
import { onKeys } from '../../../ui/shortcuts.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { StateShape } from '../../../slo/state.tsx'
import type { Stated } from '../../../slo/states.ts'
import { Time, useNow } from '../../../ui/time.tsx'
import { words } from '../../../words.ts'
import { nowSentence } from '../now-sentence.ts'
import { sentenceOf } from '../sentence.ts'
import { SloMenu } from './slo-menu.tsx'

type Shown = {
  slo: Slo
  budget: Budget | undefined
  /** State of now; undefined: not read yet. */
  now: Stated | undefined
  incidents: Incidents | undefined
}

/** Header of an SLO's page: name, the sentence about now, objective, and the age of the data. */
export function SloHeader({ slo, budget, now, incidents }: Shown) {
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
      {slo.active && (
        <p class="now">
          {budget && now && (
            <Now of={{ ...budget, ...now, measured_since: slo.measured_since }} incidents={incidents} />
          )}
        </p>
      )}
      <p class="sentence">
        {sentenceOf(slo)}{' '}
        {Object.entries(slo.labels).map(([name, value]) => (
          <a key={name} class="label" href={link(`/?label=${encodeURIComponent(`${name}=${value}`)}`)}>
            {name}={value}
          </a>
        ))}
      </p>
      <p class="age muted">
        {budget?.measured_at && (
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
  const isViewer = me.value?.role === 'viewer'
  useEffect(() => (isViewer ? undefined : onKeys({ e: () => route(address) })), [isViewer, address])
  return isViewer ? (
    <Button icon="pencil" unavailable={words.viewer}>
      Edit
    </Button>
  ) : (
    <LinkButton icon="pencil" href={address}>
      Edit
    </LinkButton>
  )
}

function Now({
  of,
  incidents,
}: {
  of: Budget & Stated & { measured_since: string }
  incidents: Incidents | undefined
}) {
  const text = useNow((nowMs) => nowSentence(of, incidents?.incidents, nowMs), [of, incidents])
  return (
    <>
      <StateShape state={of.state} size={20} /> <span>{text}</span>
    </>
  )
}
