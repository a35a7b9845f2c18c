import { useMemo } from 'preact/hooks'
import type { OverviewSlo } from '../../api/types.ts'
import { formatWindow } from '../../format.ts'
import { Menu } from '../../ui/menu.tsx'
import { useAddress } from '../../address/fields.ts'
import { capitalized } from '../../incidents/alert-words.ts'
import { type IncidentsView, ranges, severities, viewFields } from './view.ts'
import { teamLabel } from '../../ui/named-words.ts'

/** Filters of the page of incidents; they are kept in the address. */
export function IncidentFilters({ slos }: { slos: readonly OverviewSlo[] }) {
  const { fields: view, go } = useAddress(viewFields)
  const change = (changes: Partial<IncidentsView>) => go({ ...changes, page: 1 }, { replace: true })
  const teams = useMemo(
    () => [...new Map(slos.map(({ team_id, team_name }) => [String(team_id), team_name ?? teamLabel(team_id)]))],
    [slos],
  )
  const team = teams.find(([id]) => id === view.teamId)?.[1]
  return (
    <div class="filters" role="search">
      <select
        class="input slo-select"
        aria-label="SLO"
        value={view.sloId}
        data-filter
        onChange={(event) => change({ sloId: event.currentTarget.value })}
      >
        <option value="">All SLOs</option>
        {slos
          .toSorted((a, b) => a.name.localeCompare(b.name))
          .map(({ id, name }) => (
            <option key={id} value={id} selected={String(id) === view.sloId}>
              {name}
            </option>
          ))}
      </select>
      <Menu
        label="Severity"
        button={view.severity === '' ? 'Severity' : capitalized(view.severity)}
        choices={(['', ...severities] as const).map((severity) => ({
          label: severity === '' ? 'All' : capitalized(severity),
          isChosen: severity === view.severity,
          onChoose: () => change({ severity }),
        }))}
      />
      {teams.length > 1 && (
        <Menu
          label="Team"
          button={team ?? 'Team'}
          choices={[['', 'All'] as const, ...teams].map(([id, label]) => ({
            label,
            isChosen: id === view.teamId,
            onChoose: () => change({ teamId: id }),
          }))}
        />
      )}
      <div class="arrange">
        <Menu
          label="Range"
          button={formatWindow(view.range)}
          choices={ranges.map((range) => ({
            label: formatWindow(range),
            isChosen: range === view.range,
            onChoose: () => change({ range }),
          }))}
        />
      </div>
    </div>
  )
}
