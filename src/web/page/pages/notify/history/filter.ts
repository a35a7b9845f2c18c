import { queryOf } from '../../../address/url.ts'

/** Filter of the notifications, from the address; empty: all. */
export type HistoryFilter = { status: string; channel: string; slo: string; range: string }

export const filterNames = ['status', 'channel', 'slo', 'range'] as const

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

export function filterOfUrl(url: string): HistoryFilter {
  const [status, channel, slo, range] = filterNames.map((name) => queryOf(url, name))
  return { status: status ?? '', channel: channel ?? '', slo: slo ?? '', range: range ?? '' }
}

/** Query for the API. Invalid values in the address are left out, so that a mistyped one shows more rather than an error. */
export function queryOfFilter({ status, channel, slo, range }: HistoryFilter, page: number, nowMs: number): string {
  const query = new URLSearchParams({ page: String(page), page_size: '25' })
  if (statuses.some(([known]) => known === status)) query.set('status', status)
  if (isId(channel)) query.set('channel_id', channel)
  if (isId(slo)) query.set('slo_id', slo)
  const seconds = ranges.find(([known]) => known === range)?.[2]
  if (seconds !== undefined) query.set('start', new Date(nowMs - seconds * 1000).toISOString())
  return String(query)
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text)
}
