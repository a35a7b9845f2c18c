import type { OverviewSlo } from '../../../api/types.ts'
import { teamLabel } from '../../../ui/named-words.ts'

/** SLOs by label and by team, without sets that contain all SLOs. */
export function setsOf(
  slos: readonly Pick<OverviewSlo, 'id' | 'labels' | 'team_name'>[],
): { label: string; ids: number[] }[] {
  const sets = new Map<string, number[]>()
  for (const { id, labels, team_name } of slos) {
    const names = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
    for (const name of team_name ? [...names, teamLabel(team_name)] : names) {
      sets.set(name, [...(sets.get(name) ?? []), id])
    }
  }
  return [...sets]
    .map(([label, ids]) => ({ label, ids }))
    .filter(({ ids }) => ids.length < slos.length)
    .toSorted((a, b) => a.label.localeCompare(b.label))
}
