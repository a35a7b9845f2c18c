import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { useResource } from '../../api/use-resource.ts'
import type { Overview, OverviewSlo } from '../../api/types.ts'
import { link } from '../../base.ts'
import { live } from '../../api/live.ts'
import { formatClockSeconds, zoneName } from '../../format.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Failed, Skeleton } from '../../ui/states.tsx'
import { nowMs } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { countAttention, type SortKey, sortSlos } from './attention.ts'
import { Checklist } from './checklist.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Row } from './row.tsx'
import { groupSlos, isInView, labelsOf, readView, type View, writeView } from './view.ts'

export function OverviewPage() {
  const overview = useResource<Overview>('/slos/overview')
  const { value, error } = overview
  useEffect(() => {
    document.title = `Overview · ${words.product}`
  }, [])
  useEffect(() => live(() => overview.readSoon()), [overview])
  const slos = value.value?.slos
  return (
    <div class="page overview">
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      {error.value && <Failed error={error.value} onRetry={overview.read} />}
      {slos === undefined ? (
        !error.value && <Skeleton heightPx={44} lines={8} />
      ) : slos.length === 0 ? (
        <FirstSteps />
      ) : (
        <Slos slos={slos} />
      )}
      {slos && <Checklist slos={slos} />}
    </div>
  )
}

const sortWords: Record<SortKey, string> = {
  attention: 'attention',
  name: 'name',
  sli: 'SLI',
  budget: 'budget left',
  burn: 'burn',
}

function Slos({ slos }: { slos: OverviewSlo[] }) {
  const { url, route } = useLocation()
  const view = readView(url.split('?')[1] ?? '')
  const change = (changes: Partial<View>) => route(link(`/${writeView({ ...view, ...changes })}`), true)
  const minute = Math.floor(nowMs.value / 60_000) * 60_000 // the order need not move each second
  const found = useMemo(
    () =>
      sortSlos(
        slos.filter((slo) => isInView(slo, view)),
        view.sort,
        minute,
      ),
    [slos, url, minute],
  )
  const groups = groupSlos(found, view.group)
  const { attention, healthy, unknown } = countAttention(slos, minute)
  const toggled = (values: readonly string[], value: string) =>
    values.includes(value) ? values.filter((other) => other !== value) : [...values, value]
  const chosen = (label: string, values: readonly string[]) =>
    values.length === 0 ? label : `${label}: ${values.length}`
  const teams = [...new Set(slos.map(({ team_name }) => team_name).filter((team) => team !== null))].toSorted()
  const labels = [...new Set(slos.flatMap(labelsOf))].toSorted()
  const labelNames = [...new Set(slos.flatMap(({ labels }) => Object.keys(labels)))].toSorted()
  return (
    <>
      <p class="summary">
        <span>
          {attention === 0 ? 'Nothing needs attention' : `${attention} need${attention === 1 ? 's' : ''} attention`},{' '}
          {healthy} healthy
          {unknown > 0 && `, ${unknown} not measured`}
        </span>
        <Freshness />
      </p>
      <div class="filters" role="search">
        <label class="search">
          <Icon name="search" />
          <span class="hidden-text">Search</span>
          <input
            type="search"
            placeholder="Search"
            data-filter
            value={view.search}
            onInput={(event) => change({ search: event.currentTarget.value })}
          />
        </label>
        <Menu
          label="Status"
          button={chosen('Status', view.status)}
          choices={[...Object.entries(words.states), ['stale', 'Stale'] as const].map(([value, label]) => ({
            label,
            isChosen: view.status.includes(value),
            onChoose: () => change({ status: toggled(view.status, value) }),
          }))}
        />
        {teams.length > 1 && (
          <Menu
            label="Team"
            button={chosen('Team', view.teams)}
            choices={teams.map((team) => ({
              label: team,
              isChosen: view.teams.includes(team),
              onChoose: () => change({ teams: toggled(view.teams, team) }),
            }))}
          />
        )}
        {labels.length > 0 && (
          <Menu
            label="Label"
            button={chosen('Label', view.labels)}
            choices={labels.map((label) => ({
              label,
              isChosen: view.labels.includes(label),
              onChoose: () => change({ labels: toggled(view.labels, label) }),
            }))}
          />
        )}
        <span class="spring" />
        <Menu
          label="Group"
          button={view.group === '' ? 'Group' : `Group: ${view.group.replace('label:', '')}`}
          choices={['', 'team', ...labelNames.map((name) => `label:${name}`)].map((group) => ({
            label: group === '' ? 'None' : group.replace('label:', ''),
            isChosen: group === view.group,
            onChoose: () => change({ group }),
          }))}
        />
        <Menu
          label="Sort"
          button={`Sort: ${sortWords[view.sort]}`}
          choices={Object.entries(sortWords).map(([sort, label]) => ({
            label,
            isChosen: sort === view.sort,
            onChoose: () => change({ sort: sort as SortKey }),
          }))}
        />
        <IconButton
          kind="plain"
          icon={view.isCompact ? 'rows-3' : 'rows-4'}
          label={view.isCompact ? 'Show more of each row' : 'Show compact rows'}
          aria-pressed={view.isCompact}
          onClick={() => change({ isCompact: !view.isCompact })}
        />
      </div>
      {found.length === 0 ? (
        <p class="none">
          No SLO is like that. <a href={link('/')}>Show all {slos.length}</a>
        </p>
      ) : (
        groups.map(({ title, slos }) => <Table key={title} title={title} slos={slos} view={view} />)
      )}
    </>
  )
}

function Table({ title, slos, view }: { title: string; slos: OverviewSlo[]; view: View }) {
  const sorted = (key: SortKey) => (view.sort === key ? (key === 'name' ? 'ascending' : 'other') : undefined)
  return (
    <table class={`slos${view.isCompact ? ' compact' : ''}`}>
      {title === '' ? (
        <caption class="hidden-text">SLOs</caption>
      ) : (
        <caption>
          {title} <span class="muted">{slos.length}</span>
        </caption>
      )}
      <thead>
        <tr>
          <th scope="col" aria-sort={sorted('name')}>
            SLO
          </th>
          <th scope="col" class="right" aria-sort={sorted('sli')}>
            SLI / target
          </th>
          <th scope="col" aria-sort={sorted('budget')}>
            Budget left
          </th>
          <th scope="col" aria-sort={sorted('burn')}>
            Burn now
          </th>
          <th scope="col">30 days</th>
        </tr>
      </thead>
      <tbody>
        {slos.map((slo) => (
          <Row key={slo.id} slo={slo} />
        ))}
      </tbody>
    </table>
  )
}

function Freshness() {
  const { state, sinceMs } = live.state.value
  if (state === 'live') {
    return (
      <span class="freshness live">
        <span class="dot" aria-hidden="true" /> live, {formatClockSeconds(nowMs.value)} ({zoneName(nowMs.value)})
      </span>
    )
  }
  return (
    <span class="freshness">
      {state === 'connecting' ? 'connecting' : `not connected since ${formatClockSeconds(sinceMs)}`}
    </span>
  )
}
