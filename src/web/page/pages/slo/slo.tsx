import { useLocation, useRoute } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import type { Timeline } from '../../api/history.ts'
import { onSloUpdate } from '../../api/live.ts'
import { useLiveReads } from '../../api/live-reads.ts'
import { withState } from '../../api/overview-updates.ts'
import type { Backfill, Budget, BurnRates, Incidents, Slo } from '../../api/types.ts'
import { useResource } from '../../api/use-resource.ts'
import { base, link } from '../../address/base.ts'
import { chunk } from '../../ui/chunk.tsx'
import { loadedStyled } from '../../ui/lazy.ts'
import { Failed } from '../../ui/read.tsx'
import { incidentAmong, type Stated } from '../../slo/states.ts'
import { words } from '../../words.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { BudgetView } from './budget-view.tsx'
import { SloHeader } from './states/slo-header.tsx'
import { FiguresLoading, mayBeBackfilling, SloLoading, SloNotice, Unread } from './states/slo-states.tsx'

const viewHeightPx = 480
const Alerting = chunk(
  () => loadedStyled(async () => (await import('./alerting/alerting.tsx')).AlertingView),
  viewHeightPx,
)
const Definition = chunk(async () => (await import('./definition/definition.tsx')).DefinitionView, viewHeightPx)
const Activity = chunk(async () => (await import('./activity/activity.tsx')).ActivityView, viewHeightPx)

/** Views of an SLO by the last segment of their address. */
const views = { '': 'Budget', alerting: 'Alerts', definition: 'Definition', activity: 'Activity' } as const
type View = keyof typeof views

export function SloPage() {
  const { params } = useRoute()
  const id = Number(params.id)
  const view = params.view ?? ''
  const isKnown = Number.isSafeInteger(id) && id > 0 && Object.hasOwn(views, view)
  return isKnown ? <OneSlo key={id} id={id} view={view as View} /> : <NotFound />
}

function OneSlo({ id, view }: { id: number; view: View }) {
  const isBudget = view === ''
  const slo = useResource<Slo>(`/slos/${id}`)
  const budget = useResource<Budget>(`/slos/${id}/budget`)
  const burn = useResource<BurnRates>(`/slos/${id}/burn-rates`, isBudget)
  const incidents = useResource<Incidents>(`/slos/${id}/incidents`, isBudget)
  const timeline = useResource<Timeline>(`/slos/${id}/timeline`, isBudget)
  const definition = slo.value.value
  const state = budget.value.value
  const now = useMemo(
    () => state && statedNow(state, burn.value.value, timeline.value.value),
    [state, burn.value.value, timeline.value.value],
  )
  const hasPast = !isBudget || !definition || !state || !mayBeBackfilling(definition, state)
  const backfill = useResource<Backfill>(`/slos/${id}/backfill`, !hasPast)
  const readings = isBudget ? [slo, budget, burn, incidents, timeline] : [slo, budget]
  useLiveReads(id, readings)
  useEffect(
    () =>
      onSloUpdate((update) => {
        const before = budget.value.peek()
        if (before && update?.slo_id === id) budget.value.value = withState(before, update)
      }),
    [budget, id],
  )
  useEffect(() => {
    const place = isBudget ? '' : ` · ${views[view]}`
    document.title = definition ? `${definition.name}${place} · ${words.product}` : words.product
  }, [definition?.name, view])
  if (slo.error.value?.status === 404) return <NotFound />
  if (slo.error.value && !definition) {
    return (
      <div class="page">
        <Failed error={slo.error.value} onRetry={slo.read} />
      </div>
    )
  }
  if (!definition) return <SloLoading />
  const readAll = () => readings.forEach(({ readSoon }) => readSoon(0))
  const isNoticeKnown = hasPast || backfill.value.value !== undefined || backfill.error.value !== undefined
  if (isBudget && ((!state && !budget.error.value) || !isNoticeKnown)) {
    return (
      <div class="page slo">
        <SloHeader slo={definition} budget={undefined} now={undefined} incidents={undefined} />
        <Views id={id} />
        <FiguresLoading />
      </div>
    )
  }
  return (
    <div class={`page slo${state?.stale ? ' stale' : ''}`}>
      <SloHeader slo={definition} budget={state} now={now} incidents={incidents.value.value} />
      <Views id={id} />
      <Unread readings={isBudget ? [slo, budget, burn] : [slo, budget]} isShown={state !== undefined} />
      {state && <SloNotice slo={definition} budget={state} onChange={readAll} />}
      {isBudget && (
        <BudgetView
          slo={definition}
          budget={state}
          now={now}
          burn={burn.value.value}
          incidents={incidents}
          timeline={timeline.value.value}
        />
      )}
      {view === 'alerting' && <Alerting slo={definition} />}
      {view === 'definition' && <Definition slo={definition} />}
      {view === 'activity' && <Activity slo={definition} />}
    </div>
  )
}

/** State of an SLO from its own answers: its firing tier and open incident are in others than its budget. */
function statedNow(budget: Budget, burn: BurnRates | undefined, timeline: Timeline | undefined): Stated {
  const open = timeline?.alerts.filter(({ ended_at }) => ended_at === null) ?? []
  const firing = burn?.tiers.find(({ firing }) => firing)
  return {
    ...budget,
    was: incidentAmong(open),
    tierRate: firing?.long_burn_rate ?? null,
  }
}

function Views({ id }: { id: number }) {
  const { path } = useLocation()
  return (
    <nav class="views" aria-label="Views of the SLO">
      {Object.entries(views).map(([view, label]) => {
        const to = view === '' ? `/slos/${id}` : `/slos/${id}/${view}`
        return (
          <a key={view} href={link(to)} aria-current={path === `${base}${to}` ? 'page' : undefined}>
            {label}
          </a>
        )
      })}
    </nav>
  )
}
