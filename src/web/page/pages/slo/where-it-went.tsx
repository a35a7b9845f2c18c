import { useId, useMemo, useState } from 'preact/hooks'
import type { Timeline } from '../../api/history.ts'
import type { Resource } from '../../api/resource.ts'
import type { Incident, Incidents } from '../../api/types.ts'
import { formatCost, formatDuration, plural } from '../../format.ts'
import { usedShareWords } from '../../slo/budget-words.ts'
import { Failed, Skeleton } from '../../ui/read.tsx'
import { chunk } from '../../ui/chunk.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { text, useAddress } from '../../address/fields.ts'
import type { Cause } from './incidents/breakdown.tsx'
import { failingSeconds, formatCause, incidentOf, scaledToWindow } from './incidents/budget-incidents.ts'
import { stillFailingWords } from './words.ts'

const openFields = { incident: text }

const IncidentDetails = chunk(async () => (await import('./incidents/details.tsx')).IncidentDetails, 160)

type Zoom = (to: { fromMs: number; toMs: number } | null) => void
/** `isFailing`: the SLO burns now. If it does not, an incident that is still `ongoing` is shown as over. */
type Props = { isFailing: boolean; timeline: Timeline | undefined; onZoom: Zoom }

const marginShare = 1 // of an incident's length, before and after it
const minMarginMs = 600_000
const maxListed = 6
const minBackgroundPercent = 0.05 // of the budget; a smaller share has no row

/** Incidents by the budget that they used, and the budget used between them; together they are the used budget. */
export function WhereItWent({
  incidents,
  usedPercent,
  ...rest
}: Props & { incidents: Resource<Incidents>; usedPercent: number | null }) {
  const read = incidents.value.value
  const value = useMemo(() => read && scaledToWindow(read, usedPercent), [read, usedPercent])
  return (
    <section class="card went">
      <h2>Where it went</h2>
      {incidents.error.value && <Failed error={incidents.error.value} onRetry={incidents.read} />}
      {!value ? !incidents.error.value && <Skeleton heightPx={32} lines={4} /> : <List of={value} {...rest} />}
    </section>
  )
}

function List({ of, isFailing, timeline, onZoom }: Props & { of: Incidents }) {
  const { incidents, budget_used_percent: used, background_percent: background } = of
  const { fields, go } = useAddress(openFields)
  const [isWhole, setWhole] = useState(false)
  if (used === null || background === null) return <p class="muted">Nothing was measured in the window.</p>
  const selected = incidentOf(incidents, fields.incident)
  const select = (key: string | null) => go({ incident: key ?? '' })
  const shown = incidents.filter((one, at) => isWhole || at < maxListed || one === selected)
  const others = incidents.filter((one) => !shown.includes(one))
  const rest = others.reduce((sum, { budget_used_percent }) => sum + budget_used_percent, 0)
  const max = Math.max(1, background, rest, ...incidents.map(({ budget_used_percent }) => budget_used_percent))
  return (
    <ol>
      {shown.map((incident) => (
        <Row
          key={incident.key}
          of={of}
          incident={incident}
          rank={incidents.indexOf(incident) + 1}
          max={max}
          isFailing={isFailing}
          timeline={timeline}
          isOpen={incident === selected}
          onToggle={(isOpen) => select(isOpen ? incident.key : null)}
          onZoom={onZoom}
        />
      ))}
      {others.length > 0 && (
        <li>
          <button type="button" class="row rest" onClick={() => setWhole(true)}>
            <span class="rank" />
            <span class="when">{plural(others.length, 'one smaller one', '# smaller ones')}</span>
            <Share percent={rest} max={max} />
          </button>
        </li>
      )}
      {Math.abs(background) >= minBackgroundPercent && (
        <li>
          <div class="row rest">
            <span class="rank" />
            <span class="when">small failures in between</span>
            <Share percent={background} max={max} />
          </div>
        </li>
      )}
      <li class="sum">
        <div class="row">
          <span class="rank" />
          <span class="when">all</span>
          <span class="number">{usedShareWords(used)}</span>
        </div>
      </li>
    </ol>
  )
}

type RowProps = Props & {
  of: Incidents
  incident: Incident
  rank: number
  max: number
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}

function Row({ of, incident, rank, max, isFailing, timeline, isOpen, onToggle, onZoom }: RowProps) {
  const id = useId()
  const [found, setFound] = useState<Cause | null>(null)
  const cause = incident.cause ?? found
  const isNow = incident.ongoing && isFailing
  const lasted = useNow(
    (nowMs) => formatDuration(failingSeconds(incident, of.unit, isNow ? nowMs : null)),
    [incident, of.unit, isNow],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    document.getElementById(`${id}-button`)?.focus()
    onToggle(false)
  }
  return (
    <li onKeyDown={onKeyDown}>
      <button
        type="button"
        class="row"
        id={`${id}-button`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => onToggle(!isOpen)}
      >
        <span class="rank">{rank}</span>
        <span class="when">
          <Time ms={Date.parse(incident.began_at)} />
          <span class="muted">{isNow ? stillFailingWords(lasted) : lasted}</span>
        </span>
        <Share percent={incident.budget_used_percent} max={max} tone={incident.severity ?? 'warning'} />
        <Icon name="chevron-down" />
        {cause && <span class="cause">{formatCause(cause)}</span>}
      </button>
      {isOpen && (
        <IncidentDetails
          id={id}
          of={of}
          incident={incident}
          lasted={lasted}
          timeline={timeline}
          onZoom={() => onZoom(zoomRangeOf(incident))}
          onCause={setFound}
        />
      )}
    </li>
  )
}

/** Bar and number of a share of the budget. `tone`: severity of the incident, for the colour; empty: not an incident. */
function Share({ percent, max, tone = '' }: { percent: number; max: number; tone?: string }) {
  return (
    <>
      <svg class={`share ${tone}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.max(0.5, (100 * Math.max(0, percent)) / max)} height="6" />
      </svg>
      <span class="number">{formatCost(percent)}</span>
    </>
  )
}

/** Time range of an incident with a margin before and after it. */
export function zoomRangeOf({ began_at, ended_at }: Pick<Incident, 'began_at' | 'ended_at'>): {
  fromMs: number
  toMs: number
} {
  const [from, to] = [Date.parse(began_at), Date.parse(ended_at)]
  const margin = Math.max(minMarginMs, (to - from) * marginShare)
  return { fromMs: from - margin, toMs: to + margin }
}
