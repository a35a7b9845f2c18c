import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { OverviewSlo } from '../../api/types.ts'
import { formatWindow } from '../../format.ts'
import { Menu } from '../../ui/menu.tsx'
import { urlWith } from '../../address/url.ts'
import { capitalized } from '../../incidents/alert-words.ts'
import { type IncidentsView, ranges, severities } from './view.ts'

/** Filters of the page of incidents; they are kept in the address. */
export function IncidentFilters({ view, slos }: { view: IncidentsView; slos: readonly OverviewSlo[] }) {
  const { url, route } = useLocation()
  const change = (changes: Record<string, string>) =>
    route(
      urlWith(url, {
        page: null,
        ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || null])),
      }),
      true,
    )
  const teams = useMemo(
    () => [...new Map(slos.map(({ team_id, team_name }) => [String(team_id), team_name ?? `Team ${team_id}`]))],
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
        onChange={(event) => change({ slo: event.currentTarget.value })}
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
        choices={['', ...severities].map((severity) => ({
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
            onChoose: () => change({ team: id }),
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
            onChoose: () => change({ range: range === '7d' ? '' : range }),
          }))}
        />
      </div>
    </div>
  )
}
