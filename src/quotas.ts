import { AppError } from './errors.ts'

/** Every quota of an organization: its default, and what it counts. docs/configuration.md has a table of them. */
const definitions = {
  slos: { defaultLimit: 2000, of: 'SLOs' },
  channels: { defaultLimit: 500, of: 'notification channels' },
  rules: { defaultLimit: 20_000, of: 'notification rules' },
  silences: { defaultLimit: 1000, of: 'silences that have not ended' },
  corrections: { defaultLimit: 2000, of: 'corrections' },
  annotations: { defaultLimit: 20_000, of: 'annotations' },
  reports: { defaultLimit: 500, of: 'reports' },
  report_schedules: { defaultLimit: 50, of: 'schedules of reports' },
  notifications: { defaultLimit: 10_000, of: 'notifications waiting to be delivered' },
  sources: { defaultLimit: 100, of: 'data sources' },
  queries: { defaultLimit: 5000, of: 'stored source queries' },
  targets: { defaultLimit: 500, of: 'scrape targets' },
  probes: { defaultLimit: 500, of: 'probes' },
  heartbeats: { defaultLimit: 5000, of: 'heartbeats' },
  series: { defaultLimit: 100_000, of: 'series in the embedded source' },
  samples_bytes: { defaultLimit: 4_294_967_296, of: 'bytes of samples in the embedded source' },
  cache_bytes: { defaultLimit: 268_435_456, of: 'bytes of cached results' },
  users: { defaultLimit: 2000, of: 'users' },
  teams: { defaultLimit: 500, of: 'teams' },
  tokens: { defaultLimit: 500, of: 'API tokens' },
  oauth_clients: { defaultLimit: 100, of: 'OAuth clients' },
  invitations: { defaultLimit: 500, of: 'pending invitations' },
  invitations_hourly: { defaultLimit: 100, of: 'new invitations an hour' },
  history_rows: { defaultLimit: 1_000_000, of: 'rows in each of its histories' },
} as const

export type QuotaName = keyof typeof definitions
/** A number for each quota: the limit, or the use. */
export type Quotas = Record<QuotaName, number>

export const quotaNames = Object.keys(definitions) as QuotaName[]
export const defaultQuotas = mapQuotas((_name, defaultLimit) => defaultLimit)

/** Computes a number for each quota from its name and default. */
export function mapQuotas(numberOf: (name: QuotaName, defaultLimit: number) => number): Quotas {
  return Object.fromEntries(quotaNames.map((name) => [name, numberOf(name, definitions[name].defaultLimit)])) as Quotas
}

/** Name of the setting for a quota: `QUOTA_SLOS`. */
export function settingOfQuota(name: QuotaName): string {
  return `QUOTA_${name.toUpperCase()}`
}

/** A `conflict` error that names the quota, its limit and its setting. */
export function quotaExceeded(name: QuotaName, limit: number): AppError {
  const count = limit.toLocaleString('en-US')
  const details = `An organization may have at most ${count} ${definitions[name].of} (${settingOfQuota(name)})`
  return new AppError('conflict', 'Quota exceeded', { details })
}

/** Limits and use of quotas; the use of `history_rows` is not counted. */
export type QuotaUse = {
  limits: Quotas
  usedBy(organizationId: number): Promise<Used>
  /** Highest use of each quota by any one organization. */
  maxUsed(): Promise<Used>
}
type Used = Partial<Quotas>
