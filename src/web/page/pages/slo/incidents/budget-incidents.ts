import type { Incident, Incidents } from '../../../api/types.ts'

/** Incident that contains a time. `key`: Unix seconds from the page's URL; the start of the incident, which may change later. */
export function incidentOf(incidents: readonly Incident[], key: string): Incident | undefined {
  const ms = /^\d{1,12}$/.test(key) ? 1000 * Number(key) : Number.NaN
  return incidents.find((one) => 1000 * Number(one.key) <= ms && ms < Date.parse(one.ended_at))
}

type Shares = Pick<Incidents, 'budget_used_percent' | 'background_percent'> & {
  incidents: readonly Pick<Incident, 'budget_used_percent'>[]
}

/**
 * Scales the shares of a response, which refer to the budget of the time with data, to the budget of the whole window.
 * `usedPercent`: their sum, in percent of the budget of the whole window; null: not known, the shares stay.
 */
export function scaledToWindow<T extends Shares>(response: T, usedPercent: number | null): T {
  const { budget_used_percent: used, background_percent: background } = response
  if (usedPercent === null || !used || background === null) return response
  const scaled = (percent: number) => (percent * usedPercent) / used
  return {
    ...response,
    budget_used_percent: usedPercent,
    background_percent: scaled(background),
    incidents: response.incidents.map((one) => ({ ...one, budget_used_percent: scaled(one.budget_used_percent) })),
  }
}

/** Value of a label; `(none)` if the label is missing. */
export function formatValue(value: string): string {
  return value === '' ? '(none)' : value
}

/** Formats a cause as `route=/pay`. */
export function formatCause({ label, value }: { label: string; value: string }): string {
  return `${label}=${formatValue(value)}`
}

/**
 * Seconds of an incident with failures, without the good time in between. For a budget of time, the seconds of budget that it used.
 * `nowMs`: the current time if the incident still fails; null: it has ended.
 */
export function failingSeconds(
  { bad_events, failing_seconds, ended_at }: Pick<Incident, 'bad_events' | 'failing_seconds' | 'ended_at'>,
  unit: 'events' | 'seconds',
  nowMs: number | null,
): number {
  if (nowMs !== null) return failing_seconds + (nowMs - Date.parse(ended_at)) / 1000
  return unit === 'seconds' ? bad_events : failing_seconds
}
