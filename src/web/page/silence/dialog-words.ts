import { formatMoment, list, plural, zoneName } from '../format.ts'

const maxNames = 5

/** Choice of the SLOs of a team. */
export function ofTeamLabel(team: string): string {
  return `The SLOs of ${team}`
}

/** SLOs that a silence covers. */
export function coversSentence(names: readonly string[]): string {
  if (names.length === 0) return 'It covers no SLO.'
  return plural(names.length, `It covers # SLO: ${list(names)}.`, `It covers # SLOs: ${list(names, maxNames)}.`)
}

/** End of a silence that is chosen, with the time zone. */
export function endsSentence(atMs: number, nowMs: number): string {
  return `Ends ${formatMoment(atMs, nowMs)} (${zoneName(atMs)}).`
}
