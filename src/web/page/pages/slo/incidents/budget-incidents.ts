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

/** Value of a label; `(none)` if the label is missing. */
export function formatValue(value: string): string {
  return value === '' ? '(none)' : value
}

/** `route=/pay`. */
export function formatCause({ label, value }: { label: string; value: string }): string {
  return `${label}=${formatValue(value)}`
}

/**
 * Seconds for which an incident failed, without what was good in between; where time is counted, those that it used of the budget. `nowMs`:
 * the time up to which it still fails; null: it does not.
 */
export function failingSeconds(
  { bad_events, failing_seconds, ended_at }: Pick<Incident, 'bad_events' | 'failing_seconds' | 'ended_at'>,
  unit: 'events' | 'seconds',
  nowMs: number | null,
): number {
  if (nowMs !== null) return failing_seconds + (nowMs - Date.parse(ended_at)) / 1000
  return unit === 'seconds' ? bad_events : failing_seconds
}
