import { useRoute } from 'preact-iso/router'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ofIncidents, ofSlo } from '../../api/live-reads.ts'
import { msUntilNextCheck } from '../../slo/check-reads.ts'
import type { IncidentList, Timeline } from '../../api/history.ts'
import { onSloUpdate } from '../../api/live.ts'
import { withState } from '../../api/overview-updates.ts'
import type { Resource } from '../../api/resource.ts'
import type { Backfill, Budget, BurnRates, Checks, Incidents, Slo } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { routes } from '../../address/routes.ts'
import { chunk } from '../../ui/chunk.tsx'
import { loadCodeAndStyle } from '../../ui/lazy.ts'
import { NotFound, Page } from '../../ui/page.tsx'
import { incidentAmong, type Stated } from '../../slo/states.ts'
import { NoAnswer } from '../../ui/no-answer.tsx'
import { BudgetView } from './budget-view.tsx'
import { openIncidentPath } from './states/open-incident.ts'
import { SloFrame } from './states/slo-frame.tsx'
import { FiguresLoading, mayBeBackfilling, SloLoading, SloNotice, Unread } from './states/slo-states.tsx'

const viewHeightPx = 480
const Alerting = chunk(
  () => loadCodeAndStyle(async () => (await import('./alerting/alerting.tsx')).AlertingView),
  viewHeightPx,
)
const Definition = chunk(async () => (await import('./definition/definition.tsx')).DefinitionView, viewHeightPx)
const CheckList = chunk(async () => (await import('./states/check-list.tsx')).CheckList, 160)
const Activity = chunk(async () => (await import('./activity/activity.tsx')).ActivityView, viewHeightPx)

type View = keyof typeof routes.slo.views

export function SloPage() {
  const { params } = useRoute()
  const id = Number(params.id)
  const view = params.view ?? ''
  const isKnown = Number.isSafeInteger(id) && id > 0 && Object.hasOwn(routes.slo.views, view)
  return isKnown ? <OneSlo key={id} id={id} view={view as View} /> : <NotFound />
}

function OneSlo({ id, view }: { id: number; view: View }) {
  const isBudget = view === ''
  const live = ofSlo(id)
  const slo = useRead<Slo>(`/slos/${id}`, { live })
  const budget = useRead<Budget>(`/slos/${id}/budget`, { live })
  const ofBudget = { when: isBudget, live: isBudget && live }
  const burn = useRead<BurnRates>(`/slos/${id}/burn-rates`, ofBudget)
  const incidents = useRead<Incidents>(`/slos/${id}/incidents`, ofBudget)
  const timeline = useRead<Timeline>(`/slos/${id}/timeline`, ofBudget)
  const wasRead = useRef(false)
  const definition = slo.value.value
  const readBudget = budget.value.value
  const stated = useMemo(
    () => readBudget && statedNow(readBudget, burn.value.value, timeline.value.value),
    [readBudget, burn.value.value, timeline.value.value],
  )
  const isTroubled = readBudget !== undefined && !statesWithoutIncident.has(readBudget.state)
  const open = useRead<IncidentList>(openIncidentPath(id), {
    when: isTroubled,
    live: isTroubled && ofIncidents({ isFailing: (sloId) => sloId === id }),
  })
  const incident = isTroubled ? open.value.value?.incidents[0] : undefined
  const isMeasuring = readBudget?.state === 'measuring'
  const checks = useRead<Checks>(`/slos/${id}/checks`, {
    when: isMeasuring,
    live: isMeasuring && live,
    everyMs: msUntilNextCheck,
  })
  const hasProbes = checks.value.value !== undefined && checks.value.value.next_at !== null
  const readsBackfill =
    isBudget && definition !== undefined && readBudget !== undefined && mayBeBackfilling(definition, readBudget)
  const backfill = useRead<Backfill>(`/slos/${id}/backfill`, { when: readsBackfill })
  const readings = isBudget ? [slo, budget, burn, incidents, timeline] : [slo, budget]
  useEffect(
    () =>
      onSloUpdate((update) => {
        const current = budget.value.peek()
        if (!current || update?.slo_id !== id) return
        if (current.sli === null && update.error_budget_used !== null)
          budget.readSoon(0, true) // first figures: the whole answer is read, also in a hidden tab, whose title has the state
        else budget.value.value = withState(current, update)
      }),
    [budget, id],
  )
  if (slo.error.value?.status === 404) return <NotFound />
  if (slo.error.value?.status === 0 && !definition) return <NoAnswer />
  if (!definition) return slo.error.value ? <Page title="" heading={null} read={slo} /> : <SloLoading />
  const readAll = () => readings.forEach(({ readSoon }) => readSoon(0))
  const isKnown = (one: Resource<unknown>) => one.value.value !== undefined || one.error.value !== undefined
  // the figures are drawn once, with all that they need; after that they stay while more is read
  const isRead =
    isKnown(budget) &&
    (!readsBackfill || isKnown(backfill)) &&
    (wasRead.current || ((!isTroubled || isKnown(open)) && (!isMeasuring || isKnown(checks))))
  wasRead.current ||= isRead
  if (isBudget && !isRead) {
    return (
      <SloFrame slo={definition} view={view}>
        <FiguresLoading />
      </SloFrame>
    )
  }
  return (
    <SloFrame
      slo={definition}
      view={view}
      budget={readBudget}
      stated={stated}
      incident={incident}
      checks={checks.value.value}
    >
      <Unread readings={isBudget ? [slo, budget, burn] : [slo, budget]} isShown={readBudget !== undefined} />
      {readBudget && <SloNotice slo={definition} budget={readBudget} onChange={readAll} />}
      {isBudget && isMeasuring && hasProbes && <CheckList of={checks} />}
      {isBudget && (
        <BudgetView
          slo={definition}
          budget={readBudget}
          stated={stated}
          burn={burn.value.value}
          incidents={incidents}
          timeline={timeline.value.value}
        />
      )}
      {view === 'alerting' && <Alerting slo={definition} />}
      {view === 'definition' && <Definition slo={definition} />}
      {view === 'activity' && <Activity slo={definition} />}
    </SloFrame>
  )
}

/** States in which no incident is open. */
const statesWithoutIncident = new Set<Stated['state']>(['ok', 'spent', 'measuring'])

/** State of an SLO, from its budget, with its open incident and firing tier, which other responses have. */
function statedNow(budget: Budget, burn: BurnRates | undefined, timeline: Timeline | undefined): Stated {
  const open = timeline?.alerts.filter(({ ended_at }) => ended_at === null) ?? []
  const firing = burn?.tiers.find(({ firing }) => firing)
  return {
    ...budget,
    was: incidentAmong(open),
    tierRate: firing?.long_burn_rate ?? null,
  }
}
