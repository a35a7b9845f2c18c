/** Filters of the alert list, from the address; empty: all alerts. */
export type AlertsView = {
  state: '' | 'firing' | 'ended'
  severity: string
  sloId: string
  teamId: string
  range: Range
}

export const ranges = ['24h', '7d', '30d'] as const
export type Range = (typeof ranges)[number]

export const severities = ['page', 'ticket', 'critical', 'warning'] as const

const hourMs = 3_600_000
const lengths: Record<Range, { lengthMs: number; stepMs: number }> = {
  '24h': { lengthMs: 24 * hourMs, stepMs: hourMs },
  '7d': { lengthMs: 168 * hourMs, stepMs: 6 * hourMs },
  '30d': { lengthMs: 720 * hourMs, stepMs: 24 * hourMs },
}

/** Reads the query of an address; invalid values count as absent. */
export function readAlertsView(query: string): AlertsView {
  const values = new URLSearchParams(query)
  const oneOf = <T extends string>(name: string, known: readonly T[]) =>
    known.find((value) => value === values.get(name))
  const id = (name: string) => /^[1-9]\d{0,14}$/.exec(values.get(name) ?? '')?.[0] ?? ''
  return {
    state: oneOf('state', ['firing', 'ended'] as const) ?? '',
    severity: oneOf('severity', severities) ?? '',
    sloId: id('slo'),
    teamId: id('team'),
    range: oneOf('range', ranges) ?? '7d',
  }
}

/** True if a filter other than time or state hides alerts. */
export function isFiltered({ severity, sloId, teamId }: AlertsView): boolean {
  return severity !== '' || sloId !== '' || teamId !== ''
}

/** Start of a range, rounded down to a whole step so that it is the same from one minute to the next. */
export function startOf(range: Range, nowMs: number): number {
  const { lengthMs, stepMs } = lengths[range]
  return Math.floor((nowMs - lengthMs) / stepMs) * stepMs
}

/** Query parameters of the API for a view, each with a leading `&`. */
export function filterQuery({ severity, sloId, teamId }: AlertsView): string {
  const given = Object.entries({ severity, slo_id: sloId, team_id: teamId }).filter(([, value]) => value !== '')
  return given.map(([name, value]) => `&${name}=${value}`).join('')
}
