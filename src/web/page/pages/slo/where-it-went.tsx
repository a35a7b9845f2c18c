import type { Incident, Incidents } from '../../api/types.ts'
import { formatDuration, formatMoment, formatPercent } from '../../format.ts'
import { Failed, Skeleton } from '../../ui/states.tsx'
import { nowMs } from '../../ui/time.tsx'
import type { Resource } from '../../api/resource.ts'

type Zoom = (to: { fromMs: number; toMs: number } | null) => void

const marginShare = 1 // of an incident's length, before and after it
const leastMarginMs = 600_000
const listed = 6

/** The incidents that used the budget, the costliest first, and the rest: they add up to what was used. */
export function WhereItWent({ incidents, onZoom }: { incidents: Resource<Incidents>; onZoom: Zoom }) {
  const value = incidents.value.value
  return (
    <section class="card went">
      <h2>Where it went</h2>
      {incidents.error.value && <Failed error={incidents.error.value} onRetry={incidents.read} />}
      {!value ? (
        !incidents.error.value && <Skeleton heightPx={32} lines={4} />
      ) : (
        <List incidents={value} onZoom={onZoom} />
      )}
    </section>
  )
}

function List({
  incidents: { incidents, budget_used_percent: used, background_percent: background },
  onZoom,
}: {
  incidents: Incidents
  onZoom: Zoom
}) {
  if (used === null || background === null) return <p class="muted">Nothing was measured in the window.</p>
  const most = Math.max(1, background, ...incidents.map(({ budget_percent }) => budget_percent))
  const shown = incidents.slice(0, listed)
  const others = incidents.slice(listed)
  const rest = others.reduce((sum, { budget_percent }) => sum + budget_percent, 0)
  return (
    <ol>
      {shown.map((incident, at) => (
        <li key={incident.key}>
          <button type="button" onClick={() => onZoom(around(incident))} title="Zoom to it">
            <span class="rank">{at + 1}</span>
            <span class="when">
              {formatMoment(Date.parse(incident.began_at), nowMs.value)}
              <span class="muted">{incident.ongoing ? 'goes on' : formatDuration(incident.duration_seconds)}</span>
            </span>
            <Share percent={incident.budget_percent} most={most} />
          </button>
        </li>
      ))}
      {others.length > 0 && (
        <li>
          <div>
            <span class="rank" />
            <span class="when">{others.length} smaller ones</span>
            <Share percent={rest} most={most} />
          </div>
        </li>
      )}
      <li>
        <div>
          <span class="rank" />
          <span class="when">background</span>
          <Share percent={background} most={most} />
        </div>
      </li>
      <li class="sum">
        <div>
          <span class="rank" />
          <span class="when">all</span>
          <span class="number">{formatPercent(used, 1)} used</span>
        </div>
      </li>
    </ol>
  )
}

function Share({ percent, most }: { percent: number; most: number }) {
  return (
    <>
      <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.max(0.5, (100 * Math.max(0, percent)) / most)} height="6" />
      </svg>
      <span class="number">{formatPercent(percent, 1)}</span>
    </>
  )
}

/** An incident with some time before and after it. */
export function around({ began_at, ended_at }: Pick<Incident, 'began_at' | 'ended_at'>): {
  fromMs: number
  toMs: number
} {
  const [from, to] = [Date.parse(began_at), Date.parse(ended_at)]
  const margin = Math.max(leastMarginMs, (to - from) * marginShare)
  return { fromMs: from - margin, toMs: to + margin }
}
