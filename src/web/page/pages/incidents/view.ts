import { type Fields, id, oneOf, page } from '../../address/fields.ts'

export const ranges = ['24h', '7d', '30d'] as const
export type Range = (typeof ranges)[number]

export const severities = ['critical', 'warning'] as const

const hourMs = 3_600_000
const lengths: Record<Range, { lengthMs: number; stepMs: number }> = {
  '24h': { lengthMs: 24 * hourMs, stepMs: hourMs },
  '7d': { lengthMs: 168 * hourMs, stepMs: 6 * hourMs },
  '30d': { lengthMs: 720 * hourMs, stepMs: 24 * hourMs },
}

/** Filters of the page of incidents in its address; empty: all. `view`: incidents, or alerts that belong to no incident. */
export const viewFields = {
  view: oneOf(['alerts'], ''),
  state: oneOf(['open', 'closed'], ''),
  severity: oneOf(severities, ''),
  sloId: { ...id, parameter: 'slo' },
  teamId: { ...id, parameter: 'team' },
  range: oneOf(ranges, '7d'),
  page,
}
export type IncidentsView = Fields<typeof viewFields>
type Filters = Pick<IncidentsView, 'severity' | 'sloId' | 'teamId'>

const formerValues: Record<string, Record<string, string>> = {
  state: { firing: 'open', ended: 'closed' },
  severity: { page: 'critical', ticket: 'warning' },
}

/** Converts the URL query of the former page `/alerts` to one of the incidents page. */
export function queryFromAlerts(query: string): string {
  const values = new URLSearchParams(query)
  for (const [name, words] of Object.entries(formerValues)) {
    const word = words[values.get(name) ?? '']
    if (word !== undefined) values.set(name, word)
  }
  return values.size === 0 ? '' : `?${values}`
}

/** True if a filter other than time or state hides incidents. */
export function isFiltered({ severity, sloId, teamId }: Filters): boolean {
  return severity !== '' || sloId !== '' || teamId !== ''
}

/** Start of a range, rounded down to a whole step so that it is the same from one minute to the next. */
export function startOf(range: Range, nowMs: number): number {
  const { lengthMs, stepMs } = lengths[range]
  return Math.floor((nowMs - lengthMs) / stepMs) * stepMs
}

/** Query parameters of the API for a view, each with a leading `&`. */
export function filterQuery({ severity, sloId, teamId }: Filters): string {
  const given = Object.entries({ severity, slo_id: sloId, team_id: teamId }).filter(([, value]) => value !== '')
  return given.map(([name, value]) => `&${name}=${value}`).join('')
}

/** Action that a link in a notification proposes: acknowledge an incident, or silence its SLO for some time. */
export type LinkAction = { kind: 'acknowledge' } | { kind: 'silence'; seconds: number }

/** Consequences of each action, shown before the user confirms. */
export const consequences: Record<LinkAction['kind'], string> = {
  acknowledge: 'Nobody is notified of this incident again, only of its end, and when it gets worse.',
  silence: 'Nothing is sent about this SLO for that time, also when it gets worse, only that it is up again.',
}

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }
const defaultSilenceSeconds = 3600
const maxSilenceSeconds = 366 * 86_400

/** Reads `?acknowledge` or `?silence=1h` of a URL query; null if it has neither. A missing or invalid duration counts as an hour. */
export function linkActionOf(query: string): LinkAction | null {
  const values = new URLSearchParams(query)
  if (values.has('acknowledge')) return { kind: 'acknowledge' }
  const length = values.get('silence')
  if (length === null) return null
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(length) ?? []
  const seconds = Number(count) * (unitSeconds[unit] ?? 0)
  return { kind: 'silence', seconds: seconds > 0 && seconds <= maxSilenceSeconds ? seconds : defaultSilenceSeconds }
}
