import { type Fields, id, oneOf, page, text } from '../../../address/fields.ts'

export const statuses = [
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
  ['sent', 'Sent'],
  ['pending', 'Waiting'],
  ['throttled', 'Throttled'],
] as const

/** Periods that can be chosen, with their seconds; each ends now. */
export const ranges = [
  ['1h', 'Last hour', 3600],
  ['24h', 'Last 24 hours', 86_400],
  ['7d', 'Last 7 days', 604_800],
  ['30d', 'Last 30 days', 2_592_000],
] as const

const keysOf = <T extends string>(known: readonly (readonly [T, ...unknown[]])[]) => known.map(([key]) => key)

/** Filter of the notifications in the address, empty: all; their page, and the notification whose details are open. */
export const historyFields = {
  status: oneOf(keysOf(statuses), ''),
  channel: id,
  slo: id,
  range: oneOf(keysOf(ranges), ''),
  page,
  open: text,
}
export type HistoryFilter = Omit<Fields<typeof historyFields>, 'open'>

/** Query parameters for `GET /notifications/history`. */
export function queryOfFilter({ status, channel, slo, range, page }: HistoryFilter, nowMs: number): string {
  const query = new URLSearchParams({ page: String(page), page_size: '25' })
  if (status !== '') query.set('status', status)
  if (channel !== '') query.set('channel_id', channel)
  if (slo !== '') query.set('slo_id', slo)
  const seconds = ranges.find(([known]) => known === range)?.[2]
  if (seconds !== undefined) query.set('start', new Date(nowMs - seconds * 1000).toISOString())
  return String(query)
}
