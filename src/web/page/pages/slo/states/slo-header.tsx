import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { me } from '../../../api/session.ts'
import type { Timeline } from '../../../api/history.ts'
import { downWord } from '../../../slo/words.ts'
import type { Budget, Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { formatAgo } from '../../../format.ts'
import { SilenceMenu } from '../../../silence/silence-menu.tsx'
import { SilenceNote } from '../../../silence/silence-note.tsx'
import { onKeys } from '../../../ui/shortcuts.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Status } from '../../../ui/status.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { words } from '../../../words.ts'
import { sentenceOf } from '../sentence.ts'
import { SloMenu } from './slo-menu.tsx'

type Outage = Pick<Timeline['alerts'][number], 'began_at' | 'reason'>
type Shown = { slo: Slo; budget: Budget | undefined; outage: Outage | undefined }

/** Header of an SLO's page: name, objective, outage or status, and the age of the data. */
export function SloHeader({ slo, budget, outage }: Shown) {
  return (
    <header class="page-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link('/')}>Overview</a>
      </nav>
      <div class="title">
        <h1>{slo.name}</h1>
        {outage && slo.active && <Status state="critical" word={outageWords(outage, nowMs.value)} />}
        {!outage && budget && slo.active && (
          <Status state={budget.status} stale={budget.stale} {...statusWord(budget)} />
        )}
      </div>
      <div class="actions">
        {slo.active && <SilenceMenu target={{ sloIds: [slo.id] }} current={slo.silence} hasKey />}
        <EditButton slo={slo} />
        <SloMenu slo={slo} />
      </div>
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

function outageWords({ began_at, reason }: Outage, atMs: number): string {
  const word = downWord(Date.parse(began_at), atMs)
  return reason === null ? word : `${word}: ${reason}`
}

function statusWord({ stale, measured_at, status_reason }: Budget): { word?: string } {
  if (stale && measured_at) return { word: `Stale, ${formatAgo(Date.parse(measured_at), nowMs.value)}` }
  const word = words.reasons[status_reason ?? '']
  return word === undefined ? {} : { word }
}
