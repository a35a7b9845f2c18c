import { useLocation, useRoute } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Budget, Slo } from '../../api/types.ts'
import { useLiveReads } from '../../api/live-reads.ts'
import { useResource } from '../../api/use-resource.ts'
import { base, link } from '../../base.ts'
import { formatAgo } from '../../format.ts'
import { chunk } from '../../lazy.tsx'
import { Failed, Skeleton } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { nowMs, Time } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { NotFound } from '../not-found.tsx'
import { BudgetView } from './budget-view.tsx'
import { sentenceOf } from './sentence.ts'

const Alerting = chunk(async () => (await import('./alerting/alerting.tsx')).AlertingView, 480)
const Definition = chunk(async () => (await import('./definition/definition.tsx')).DefinitionView, 480)
const Activity = chunk(async () => (await import('./activity/activity.tsx')).ActivityView, 480)

/** The views of an SLO by the last part of their addresses. */
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
  const slo = useResource<Slo>(`/slos/${id}`)
  const budget = useResource<Budget>(`/slos/${id}/budget`)
  useLiveReads(id, [slo, budget])
  const definition = slo.value.value
  const state = budget.value.value
  useEffect(() => {
    const place = view === '' ? '' : ` · ${views[view]}`
    document.title = definition ? `${definition.name}${place} · ${words.product}` : words.product
  }, [definition?.name, view])
  if (slo.error.value?.status === 404) return <NotFound />
  if (!definition) {
    return (
      <div class="page">
        {slo.error.value ? (
          <Failed error={slo.error.value} onRetry={slo.read} />
        ) : (
          <Skeleton heightPx={120} lines={4} />
        )}
      </div>
    )
  }
  return (
    <div class={`page slo${state?.stale ? ' stale' : ''}`}>
      <Header slo={definition} budget={state} />
      <Views id={id} />
      {state?.status_message && <p class="notice unknown">{state.status_message}</p>}
      {budget.error.value && <Failed error={budget.error.value} onRetry={budget.read} />}
      {view === '' && <BudgetView slo={definition} budget={state} />}
      {view === 'alerting' && <Alerting slo={definition} />}
      {view === 'definition' && <Definition slo={definition} />}
      {view === 'activity' && <Activity slo={definition} />}
    </div>
  )
}

function Header({ slo, budget }: { slo: Slo; budget: Budget | undefined }) {
  return (
    <header class="page-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link('/')}>Overview</a>
      </nav>
      <div class="title">
        <h1>{slo.name}</h1>
        {budget && <Status state={budget.status} stale={budget.stale} {...staleWord(budget)} />}
      </div>
      {budget?.measured_at && (
        <p class="age muted">
          measured <Time ms={Date.parse(budget.measured_at)} ago />
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
    </header>
  )
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

function staleWord({ stale, measured_at }: Budget): { word?: string } {
  return stale && measured_at ? { word: `Stale, ${formatAgo(Date.parse(measured_at), nowMs.value)}` } : {}
}
