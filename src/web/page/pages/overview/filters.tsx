import { useMemo } from 'preact/hooks'
import type { OverviewSlo } from '../../api/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Choice, Menu } from '../../ui/menu.tsx'
import { type ShownState, states } from '../../slo/states.ts'
import type { SortKey } from './attention.ts'
import { selected, switchSelecting } from './selection/selected.ts'
import { labelsOf, type StateFilter, type View } from './view.ts'
import { groupLabel, sortLabel } from './words.ts'

const sortWords: Record<SortKey, string> = {
  attention: 'attention',
  name: 'name',
  sli: 'SLI',
  budget: 'budget used',
  burn: 'burn',
}
const maxLabels = 100 // with more labels the menu has only their names; the search finds the values
const stateNames: (readonly [StateFilter, string])[] = [
  ...(Object.keys(states) as ShownState[]).map((state) => [state, states[state].label] as const),
  ['deleted', 'Deleted'],
]

/** Filters, sorting and layout of the overview; they are kept in the address. */
export function Filters(props: { slos: readonly OverviewSlo[]; view: View; change: (changes: Partial<View>) => void }) {
  const { slos, view, change } = props
  const { teams, labels, labelNames } = useMemo(() => {
    const labelNames = distinct(slos.flatMap((slo) => Object.keys(slo.labels)))
    const labels = distinct(slos.flatMap(labelsOf))
    return {
      teams: distinct(slos.flatMap(({ team_name }) => team_name ?? [])),
      labels: labels.length > maxLabels ? labelNames : labels,
      labelNames,
    }
  }, [slos])
  return (
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
      <Filter label="State" values={view.states} of={stateNames} onChange={(states) => change({ states })} />
      {teams.length > 1 && (
        <Filter label="Team" values={view.teams} of={pairs(teams)} onChange={(teams) => change({ teams })} />
      )}
      {labels.length > 0 && (
        <Filter
          label="Label"
          values={view.labels}
          of={pairs(distinct([...labels, ...view.labels]))}
          onChange={(labels) => change({ labels })}
        />
      )}
      <div class="arrange">
        <Menu
          label="Group"
          button={groupLabel(view.group.replace('label:', ''))}
          choices={['', 'team', ...labelNames.map((name) => `label:${name}`)].map((group) => ({
            label: group === '' ? 'None' : group.replace('label:', ''),
            isChosen: group === view.group,
            onChoose: () => change({ group }),
          }))}
        />
        <Menu
          label="Sort"
          button={sortLabel(sortWords[view.sort.by])}
          choices={(Object.entries(sortWords) as [SortKey, string][]).map(([by, label]) => ({
            label,
            isChosen: by === view.sort.by,
            onChoose: () => change({ sort: { by, isReversed: false } }),
          }))}
        />
        <IconButton
          kind="plain"
          icon="list-checks"
          label="Select SLOs"
          aria-pressed={selected.value !== null}
          onClick={switchSelecting}
        />
        <IconButton
          kind="plain"
          icon={view.isCompact ? 'rows-3' : 'rows-4'}
          label={view.isCompact ? 'Show more of each row' : 'Show compact rows'}
          aria-pressed={view.isCompact}
          onClick={() => change({ isCompact: !view.isCompact })}
        />
      </div>
    </div>
  )
}

/** A menu with multiple choice. */
function Filter<T extends string>(props: {
  label: string
  values: readonly T[]
  of: readonly (readonly [value: T, label: string])[]
  onChange: (values: T[]) => void
}) {
  const { label, values, of, onChange } = props
  const choices = of.map(([value, label]): Choice => {
    const isChosen = values.includes(value)
    const others = values.filter((other) => other !== value)
    return { label, isChosen, onChoose: () => onChange(isChosen ? others : [...others, value]) }
  })
  return <Menu label={label} button={values.length === 0 ? label : `${label}: ${values.length}`} choices={choices} />
}

function distinct(values: string[]): string[] {
  return [...new Set(values)].toSorted()
}

function pairs(values: string[]): [string, string][] {
  return values.map((value) => [value, value])
}
