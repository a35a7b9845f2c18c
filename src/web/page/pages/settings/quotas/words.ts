import { formatPercent } from '../../../format.ts'

const names: Readonly<Record<string, string>> = {
  slos: 'SLOs',
  tokens: 'API tokens',
  oauth_clients: 'OAuth clients',
  samples_bytes: 'Samples, in bytes',
  cache_bytes: 'Cache, in bytes',
  invitations_hourly: 'Invitations an hour',
}

/** Name of a quota. */
export function quotaLabel(name: string): string {
  return names[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/** Share of a quota that is used; 100 % if the limit is 0. */
export function shareUsed({ used, limit }: { used: number; limit: number }): string {
  return formatPercent(limit > 0 ? (100 * used) / limit : 100)
}
