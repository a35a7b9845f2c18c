import { useLocation, useRoute } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Budget, BurnRates, Incidents, Slo } from '../../api/types.ts'
import { live } from '../../api/live.ts'
import { useResource } from '../../api/use-resource.ts'
import { link } from '../../base.ts'
import { Failed } from '../../ui/states.tsx'
import { nowMs } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { NotFound } from '../not-found.tsx'
import { BudgetChart } from './budget-chart.tsx'
import { Calendar } from './calendar/calendar.tsx'
import { HowCalculated } from './how-calculated.tsx'
import { Numbers } from './numbers.tsx'
import { Over } from './over-time.tsx'
import { readRange } from './range.ts'
import { SloHeader } from './states/slo-header.tsx'
import { FiguresLoading, SloLoading, SloNotice, Unread } from './states/slo-states.tsx'
import { WhereItWent } from './where-it-went.tsx'
import { WhatIf } from './what-if.tsx'

export function SloPage() {
  const { params } = useRoute()
  const id = Number(params.id)
  return Number.isSafeInteger(id) && id > 0 ? <OneSlo key={id} id={id} /> : <NotFound />
}

function OneSlo({ id }: { id: number }) {
  const slo = useResource<Slo>(`/slos/${id}`)
  const budget = useResource<Budget>(`/slos/${id}/budget`)
  const burn = useResource<BurnRates>(`/slos/${id}/burn-rates`)
  const incidents = useResource<Incidents>(`/slos/${id}/incidents`)
  const { url, route } = useLocation()
  const definition = slo.value.value
  const range = readRange(url.split('?')[1] ?? '', definition?.time_window ?? '30d', nowMs.peek())
  useEffect(() => {
    document.title = definition ? `${definition.name} · ${words.product}` : words.product
  }, [definition?.name])
  useEffect(
    () =>
      live((update) => {
        if (update !== null && update.slo_id !== id) return
        for (const { readSoon } of [budget, burn, incidents]) readSoon(1000)
      }),
    [id],
  )
  if (slo.error.value?.status === 404) return <NotFound />
  if (slo.error.value && !definition) {
    return (
      <div class="page">
        <Failed error={slo.error.value} onRetry={slo.read} />
      </div>
    )
  }
  const state = budget.value.value
  if (!definition) return <SloLoading />
  const readAll = () => [slo, budget, burn, incidents].forEach(({ readSoon }) => readSoon(0))
  const onZoom = (to: { fromMs: number; toMs: number } | null) => {
    const query = to === null ? '' : `?from=${Math.round(to.fromMs)}&to=${Math.round(to.toMs)}`
    route(`${link(`/slos/${id}`)}${query}`)
  }
  if (!state && !budget.error.value) {
    return (
      <div class="page slo">
        <SloHeader slo={definition} budget={undefined} />
        <FiguresLoading />
      </div>
    )
  }
  return (
    <div class={`page slo${state?.stale ? ' stale' : ''}`}>
      <SloHeader slo={definition} budget={state} />
      <Unread readings={[slo, budget, burn]} isShown={state !== undefined} />
      {state && <SloNotice slo={definition} budget={state} onChange={readAll} />}
      {state && <Numbers slo={definition} budget={state} burn={burn.value.value} />}
      <div class="budget-and-incidents">
        {state && <BudgetChart budget={state} onZoom={onZoom} />}
        <WhereItWent incidents={incidents} onZoom={onZoom} />
      </div>
      {state && <Calendar budget={state} />}
      <Over slo={definition} tiers={burn.value.value?.tiers ?? []} range={range} onZoom={onZoom} />
      {state && <WhatIf slo={definition} budget={state} />}
      {state && <HowCalculated slo={definition} budget={state} />}
    </div>
  )
}
