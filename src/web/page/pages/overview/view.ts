import type { OverviewSlo } from '../../api/types.ts'
import { type ShownState, shownState, states } from '../../slo/states.ts'
import type { SortKey } from './attention.ts'

/** Filters, sorting and layout of the overview, from the address. */
export type View = {
  search: string
  states: readonly ShownState[]
  teams: readonly string[]
  /** `name=value`, or only a name. */
  labels: readonly string[]
  /** `''`, `team`, or `label:<name>`. */
  group: string
  sort: SortKey
  /** True for the reverse of the key's default direction. */
  isReversed: boolean
  isCompact: boolean
}

const sorts: readonly string[] = ['attention', 'name', 'sli', 'budget', 'burn'] satisfies SortKey[]

export function readView(query: string): View {
  const values = new URLSearchParams(query)
  const [, minus, by = ''] = /^(-?)(.*)$/.exec(values.get('sort') ?? '') ?? []
  const sort = sorts.includes(by) ? (by as SortKey) : 'attention'
  return {
    search: values.get('q') ?? '',
    states: values.getAll('state').filter((value): value is ShownState => Object.hasOwn(states, value)),
    teams: values.getAll('team'),
    labels: values.getAll('label'),
    group: values.get('group') ?? '',
    sort,
    isReversed: minus === '-' && sort !== 'attention',
    isCompact: values.has('compact'),
  }
}

/** Query of the address of a view; empty for the default view. */
export function writeView(view: View): string {
  const values = new URLSearchParams()
  if (view.search !== '') values.set('q', view.search)
  for (const state of view.states) values.append('state', state)
  for (const team of view.teams) values.append('team', team)
  for (const label of view.labels) values.append('label', label)
  if (view.group !== '') values.set('group', view.group)
  if (view.sort !== 'attention') values.set('sort', `${view.isReversed ? '-' : ''}${view.sort}`)
  if (view.isCompact) values.set('compact', '1')
  const query = values.toString()
  return query === '' ? '' : `?${query}`
}

/**
 * True if an SLO matches the filters of the view. Several values of one filter: any must match; several filters: all must
 * match.
 */
export function isInView(slo: OverviewSlo, { search, states, teams, labels }: View): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const text = `${slo.name} ${slo.team_name ?? ''} ${labelsOf(slo).join(' ')} ${slo.description}`.toLowerCase()
  return (
    words.every((word) => text.includes(word)) &&
    (states.length === 0 || states.includes(shownState(slo))) &&
    (teams.length === 0 || teams.includes(slo.team_name ?? '')) &&
    (labels.length === 0 || labels.some((label) => labelsOf(slo).includes(label) || label in slo.labels))
  )
}

export function labelsOf({ labels }: OverviewSlo): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

/** SLOs by group, groups in the order of their first row; one group without a title if nothing groups them. */
export function groupSlos(slos: readonly OverviewSlo[], group: string): { title: string; slos: OverviewSlo[] }[] {
  const titleOf = (slo: OverviewSlo) => {
    if (group === 'team') return slo.team_name ?? 'No team'
    if (group.startsWith('label:')) return slo.labels[group.slice(6)] ?? `Without ${group.slice(6)}`
    return ''
  }
  return [...Map.groupBy(slos, titleOf)].map(([title, slos]) => ({ title, slos }))
}
