import type { OverviewSlo } from '../../api/types.ts'
import { shownState, states } from '../../slo/states.ts'

const maxSlos = 50

/**
 * SLOs that have all words in their name, labels, team, state or description. Those whose name begins with the text come first, then
 * those whose name has all words.
 */
export function findSlos(slos: readonly OverviewSlo[], text: string): { found: OverviewSlo[]; more: number } {
  const typed = text.trim().toLowerCase()
  const words = typed.split(/\s+/).filter(Boolean)
  const found = slos
    .map((slo) => ({ slo, name: slo.name.toLowerCase(), all: searchTextOf(slo) }))
    .filter(({ all }) => words.every((word) => all.includes(word)))
    .map(({ slo, name }) => ({
      slo,
      rank: name.startsWith(typed) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2,
    }))
    .toSorted((a, b) => a.rank - b.rank || a.slo.name.localeCompare(b.slo.name))
    .map(({ slo }) => slo)
  return { found: found.slice(0, maxSlos), more: Math.max(0, found.length - maxSlos) }
}

/** Team and labels of an SLO, to distinguish it from others with its name. */
export function contextOf({ team_name, labels }: OverviewSlo): string {
  return [team_name, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)].filter(Boolean).join(', ')
}

function searchTextOf(slo: OverviewSlo): string {
  return `${slo.name} ${contextOf(slo)} ${states[shownState(slo)].label} ${slo.description}`.toLowerCase()
}
