import type { Incident, Incidents } from '../../../api/types.ts'

/** Incident of a key in the address: the one that contains that second, since the begin of an incident may move. */
export function incidentOf(incidents: readonly Incident[], key: string): Incident | undefined {
  const ms = /^\d{1,12}$/.test(key) ? 1000 * Number(key) : Number.NaN
  return incidents.find((one) => 1000 * Number(one.key) <= ms && ms < Date.parse(one.ended_at))
}

type Shares = Pick<Incidents, 'budget_used_percent' | 'background_percent'> & {
  incidents: readonly Pick<Incident, 'budget_percent'>[]
}

/**
 * Shares of the budget that the whole window has, `usedPercent` in all, where those of the answer are of the budget of the time with
 * data.
 */
export function inWindow<T extends Shares>(of: T, usedPercent: number | null): T {
  const { budget_used_percent: used, background_percent: background } = of
  if (usedPercent === null || !used || background === null) return of
  const scaled = (percent: number) => (percent * usedPercent) / used
  return {
    ...of,
    budget_used_percent: usedPercent,
    background_percent: scaled(background),
    incidents: of.incidents.map((one) => ({ ...one, budget_percent: scaled(one.budget_percent) })),
  }
}
