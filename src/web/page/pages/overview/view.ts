import type { OverviewSlo } from '../../api/types.ts'
import { type Fields, flag, text, texts } from '../../address/fields.ts'
import { type ShownState, shownState, states } from '../../slo/states.ts'
import type { SortKey } from './attention.ts'

const sorts: readonly string[] = ['attention', 'name', 'sli', 'budget', 'burn'] satisfies SortKey[]

/** A state of active SLOs, or `deleted` for the deleted SLOs. */
export type StateFilter = ShownState | 'deleted'

/** Filters, sorting and layout of the overview in its address. */
export const viewFields = {
  search: { ...text, parameter: 'q' },
  states: {
    read: (values: string[]) =>
      values.filter((value): value is StateFilter => value === 'deleted' || Object.hasOwn(states, value)),
    write: (values: StateFilter[]) => values,
    parameter: 'state',
  },
  teams: { ...texts, parameter: 'team' },
  /** `name=value`, or only a name. */
  labels: { ...texts, parameter: 'label' },
  /** `''`, `team`, or `label:<name>`. */
  group: text,
  /** `isReversed`: against the default direction of the key. */
  sort: {
    read([value = '']: string[]) {
      const [, minus, by = ''] = /^(-?)(.*)$/.exec(value) ?? []
      return by !== 'attention' && sorts.includes(by)
        ? { by: by as SortKey, isReversed: minus === '-' }
        : { by: 'attention' as const, isReversed: false }
    },
    write: ({ by, isReversed }: Sort) => (by === 'attention' ? [] : [`${isReversed ? '-' : ''}${by}`]),
  },
  isCompact: { ...flag, parameter: 'compact' },
}

type Sort = { by: SortKey; isReversed: boolean }
export type View = Fields<typeof viewFields>

/**
 * True if an SLO matches the filters of the view. Several values of one filter: any must match; several filters: all must
 * match.
 */
export function isInView(slo: OverviewSlo, { search, states, teams, labels }: View): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const searched = `${slo.name} ${slo.team_name ?? ''} ${labelsOf(slo).join(' ')} ${slo.description}`.toLowerCase()
  return (
    words.every((word) => searched.includes(word)) &&
    (states.length === 0 || states.includes(shownState(slo))) &&
    (teams.length === 0 || teams.includes(slo.team_name ?? '')) &&
    (labels.length === 0 || labels.some((label) => labelsOf(slo).includes(label) || Object.hasOwn(slo.labels, label)))
  )
}

export function labelsOf({ labels }: OverviewSlo): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

/** SLOs by group, groups in the order of their first row; one group without a title if nothing groups them. */
export function groupSlos(slos: readonly OverviewSlo[], group: string): { title: string; slos: OverviewSlo[] }[] {
  const titleOf = (slo: OverviewSlo) => {
    if (group === 'team') return slo.team_name ?? 'No team'
    if (!group.startsWith('label:')) return ''
    const name = group.slice(6)
    return (Object.hasOwn(slo.labels, name) && slo.labels[name]) || `Without ${name}`
  }
  return [...Map.groupBy(slos, titleOf)].map(([title, slos]) => ({ title, slos }))
}
