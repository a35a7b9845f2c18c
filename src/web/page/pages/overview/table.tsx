import { useLayoutEffect, useMemo } from 'preact/hooks'
import { whyNot } from '../../api/rights.ts'
import type { Overview, OverviewSlo } from '../../api/types.ts'
import { onKeys } from '../../ui/shortcuts.ts'
import { openSilence } from '../../silence/request.ts'
import { Icon } from '../../ui/icon.tsx'
import { firstOrder, type SortKey } from './attention.ts'
import { Row } from './row.tsx'
import { toggleSelected } from './selection/selected.ts'
import { useRowsInView } from './use-rows-in-view.ts'
import type { View } from './view.ts'
import { listItems, maxAllDrawn } from './virtual-rows.ts'

const columns: { label: string; sort?: SortKey; class?: string }[] = [
  { label: 'State', sort: 'attention' },
  { label: 'SLO', sort: 'name' },
  { label: 'SLI / target', sort: 'sli', class: 'right' },
  { label: 'Budget used', sort: 'budget' },
  { label: 'Burn now', sort: 'burn' },
  { label: '30 days', class: 'days' },
]

/** Above this number of SLOs without figures, their checks, a request each, are not read. */
const maxChecksRead = 10

/** SLOs as a table, or as cards on a phone. Above 300 rows only those near the window are in the document. */
export function Table(props: {
  groups: readonly { title: string; slos: readonly OverviewSlo[] }[]
  policies: Overview['team_policies']
  view: View
  onSort: (sort: SortKey) => void
}) {
  const { groups, policies, view, onSort } = props
  const items = useMemo(() => listItems(groups), [groups])
  const isVirtual = items.length > maxAllDrawn
  const { body, pieces, focused, show } = useRowsInView(items, isVirtual, view.isCompact)

  useLayoutEffect(() => {
    const step = (by: 1 | -1) => () => {
      let place = focused()
      do place += by
      while (items[place]?.kind === 'group')
      if (items[place]) show(place)
    }
    const silence = () => {
      const row = document.activeElement?.closest<HTMLElement>('[data-slo]')
      if (row && !whyNot('edit')) openSilence({ sloId: Number(row.dataset['slo']) })
    }
    const select = () => {
      const row = document.activeElement?.closest<HTMLElement>('[data-slo]')
      if (row) toggleSelected(Number(row.dataset['slo']))
    }
    return onKeys({ j: step(1), k: step(-1), s: silence, x: select })
  })

  const measuring = items.filter((item) => item.kind === 'slo' && item.slo.state === 'measuring').length
  return (
    <table
      class={`slos${view.isCompact ? ' compact' : ''}${isVirtual ? ' virtual' : ''}`}
      aria-rowcount={isVirtual ? items.length + 1 : undefined}
    >
      <caption class="hidden-text">SLOs</caption>
      <thead>
        <tr aria-rowindex={isVirtual ? 1 : undefined}>
          {columns.map(({ label, sort, class: name }) => (
            <th key={label} scope="col" class={name} aria-sort={sort === view.sort.by ? orderOf(view) : undefined}>
              {sort ? (
                <button type="button" class="sort" onClick={() => onSort(sort)}>
                  {label}
                  {sort === view.sort.by && (
                    <Icon name={orderOf(view) === 'ascending' ? 'arrow-up' : 'arrow-down'} size={12} />
                  )}
                </button>
              ) : (
                label
              )}
            </th>
          ))}
          <td class="more" />
        </tr>
      </thead>
      <tbody ref={body}>
        {pieces.map((piece) => {
          if (piece.kind === 'gap') {
            return <tr key={piece.key} class="gap" aria-hidden="true" style={{ height: `${piece.heightPx}px` }} />
          }
          const item = items[piece.place]
          if (!item) return null
          const index = isVirtual ? piece.place + 2 : undefined
          return item.kind === 'slo' ? (
            <Row
              key={item.key}
              slo={item.slo}
              index={index}
              teamPolicy={policies.find(({ team_id }) => team_id === item.slo.team_id)?.budget_policy}
              readsChecks={measuring <= maxChecksRead}
            />
          ) : (
            <tr key={item.key} class="group" aria-rowindex={index}>
              <th scope="rowgroup" colSpan={columns.length + 1}>
                {item.title} <span class="muted">{item.count}</span>
              </th>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function orderOf({ sort: { by, isReversed } }: View): 'ascending' | 'descending' {
  const first = firstOrder[by]
  if (!isReversed) return first
  return first === 'ascending' ? 'descending' : 'ascending'
}
