import { type Fields, flag, id, oneOf, page } from '../../address/fields.ts'

/** Kinds of annotations. */
export const kinds = ['deploy', 'change', 'note'] as const

/** Periods that can be chosen, with their seconds; each ends now. */
export const ranges = [
  ['24h', 'Last 24 hours', 86_400],
  ['7d', 'Last 7 days', 604_800],
  ['30d', 'Last 30 days', 2_592_000],
  ['90d', 'Last 90 days', 7_776_000],
] as const

/** Filter of the list in its address, empty: all. `isNew`: the form for a new annotation is open. */
export const deployFields = {
  kind: oneOf(kinds, ''),
  sloId: { ...id, parameter: 'slo' },
  range: oneOf(
    ranges.map(([range]) => range),
    '',
  ),
  page,
  isNew: { ...flag, parameter: 'new' },
}
type DeployFilter = Omit<Fields<typeof deployFields>, 'isNew'>

/** Query parameters for `GET /annotations`. */
export function queryOfFilter({ kind, sloId, range, page }: DeployFilter, nowMs: number): string {
  const query = new URLSearchParams({ page: String(page), page_size: '25' })
  if (kind !== '') query.set('kind', kind)
  if (sloId !== '') query.set('slo_id', sloId)
  const seconds = ranges.find(([known]) => known === range)?.[2]
  if (seconds !== undefined) query.set('start', new Date(nowMs - seconds * 1000).toISOString())
  return String(query)
}
