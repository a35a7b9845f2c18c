import { AppError } from './errors.ts'

/** Every quota of an organization: its default, and the unit that it counts. docs/configuration.md has a table of them. */
const definitions = {
  slos: { defaultLimit: 2000, unit: 'SLOs' },
  channels: { defaultLimit: 500, unit: 'notification channels' },
  rules: { defaultLimit: 20_000, unit: 'notification rules' },
  silences: { defaultLimit: 1000, unit: 'silences that have not ended' },
  corrections: { defaultLimit: 2000, unit: 'corrections' },
  annotations: { defaultLimit: 20_000, unit: 'annotations' },
  reports: { defaultLimit: 500, unit: 'reports' },
  report_schedules: { defaultLimit: 50, unit: 'schedules of reports' },
  notifications: { defaultLimit: 10_000, unit: 'notifications waiting to be delivered' },
  sources: { defaultLimit: 100, unit: 'data sources' },
  queries: { defaultLimit: 5000, unit: 'stored source queries' },
  targets: { defaultLimit: 500, unit: 'scrape targets' },
  probes: { defaultLimit: 500, unit: 'probes' },
  heartbeats: { defaultLimit: 5000, unit: 'heartbeats' },
  series: { defaultLimit: 100_000, unit: 'series in the embedded source' },
  samples_bytes: { defaultLimit: 4_294_967_296, unit: 'bytes of samples in the embedded source' },
  cache_bytes: { defaultLimit: 268_435_456, unit: 'bytes of cached results' },
  users: { defaultLimit: 2000, unit: 'users' },
  teams: { defaultLimit: 500, unit: 'teams' },
  tokens: { defaultLimit: 500, unit: 'API tokens' },
  oauth_clients: { defaultLimit: 100, unit: 'OAuth clients' },
  invitations: { defaultLimit: 500, unit: 'pending invitations' },
  invitations_hourly: { defaultLimit: 100, unit: 'new invitations an hour' },
  history_rows: { defaultLimit: 1_000_000, unit: 'rows in each of its histories' },
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
  const details = `An organization may have at most ${count} ${definitions[name].unit} (${settingOfQuota(name)})`
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
