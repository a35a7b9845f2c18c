import { type Kysely, sql } from 'kysely'
import { quotaExceeded, type QuotaName, type Quotas } from '../quotas.ts'
import type { Connection } from './sqlite.ts'
import type { Tables } from './tables/tables.ts'

/**
 * Rows of an organization that count towards a quota. `live`: condition for rows that count, if not all do; `:now` is the time.
 * `checked`: condition for new rows that are refused beyond the quota, if not all that count. `raisedBy`: a column whose change
 * may make a row count.
 */
type Counted = { table: keyof Tables; live?: string; checked?: string; raisedBy?: string }

const countedRows = {
  slos: { table: 'slos', live: 'active = 1', checked: 'new.active = 1', raisedBy: 'active' },
  channels: { table: 'channels' },
  rules: { table: 'notification_rules' },
  silences: { table: 'silences', live: 'until > :now' },
  corrections: { table: 'corrections' },
  annotations: { table: 'annotations' },
  reports: { table: 'reports' },
  report_schedules: { table: 'report_schedules' },
  notifications: { table: 'notifications', live: "status in ('pending', 'sending')", checked: 'false' }, // see assertRoom
  sources: { table: 'data_sources' },
  queries: { table: 'source_queries' },
  targets: { table: 'scrape_targets' },
  probes: { table: 'probes' },
  heartbeats: { table: 'heartbeats' },
  users: { table: 'users' },
  teams: { table: 'teams' },
  tokens: { table: 'api_tokens' },
  oauth_clients: { table: 'oauth_clients' },
  invitations: { table: 'invitations', live: 'accepted_at is null and expires_at > :now' },
  invitations_hourly: {
    table: 'audit_log', // has the withdrawn ones too
    live: "event = 'invitation_created' and created_at > :now - 3600000",
    checked: "new.event = 'invitation_created'",
  },
} satisfies Partial<Record<QuotaName, Counted>>

/** Quotas on rows of this database. */
type RowQuota = keyof typeof countedRows
const rowQuotas = Object.entries(countedRows) as [RowQuota, Counted][]

/** Use of the quotas on rows. */
export type RowQuotas = {
  /** Throws `conflict` if an organization has no room for one more. Other quotas are checked by the database itself. */
  assertRoom(trx: Kysely<Tables>, organizationId: number, name: 'notifications', nowMs: number): Promise<void>
  usedBy(organizationId: number, nowMs: number): Promise<Record<RowQuota, number>>
  /** Highest use of each quota by any one organization. */
  maxUsed(nowMs: number): Promise<Record<RowQuota, number>>
}

/**
 * Makes the connection refuse each row beyond a quota. The check is part of the statement, so that concurrent statements cannot
 * exceed the quota together. The triggers belong to the connection only, because quotas are settings.
 */
export function enforceQuotas(connection: Connection, quotas: Quotas): void {
  const bounds = createUseBounds(connection, quotas)
  for (const [name, { table, live = 'true', checked = 'true', raisedBy }] of rowQuotas) {
    if (checked === 'false') continue
    const rows = live.replaceAll(':now', 'new.created_at')
    const count = `select count(*) from main.${table} where organization_id = new.organization_id and ${rows}`
    const isTimeless = live === rows // no row begins to count as time passes, or as another column changes
    const isExceeded = isTimeless ? bounds.isExceeded(name, count) : `(${count}) > ${quotas[name]}`
    const check = `begin select raise(abort, '${prefix}${name}') where ${isExceeded}; end`
    connection.exec(`create temp trigger quota_${name} after insert on main.${table} when ${checked} ${check}`)
    if (raisedBy === undefined) continue
    connection.exec(`create temp trigger quota_${name}_raised after update of ${raisedBy} on main.${table}
      when ${checked} and old.${raisedBy} is not new.${raisedBy} ${check}`)
  }
}

const maxBounds = 10_000

/**
 * Counts rows only if there may be too many. Until then, the bound for an organization is its last count plus the rows checked
 * since: it has no more, but may have fewer, because rows are deleted and changes undone without notice.
 */
function createUseBounds(connection: Connection, quotas: Quotas) {
  const bounds = new Map<string, number>()
  const isWithin = (name: unknown, organizationId: unknown) => {
    const key = `${name} ${organizationId}`
    const used = (bounds.get(key) ?? Infinity) + 1 // Infinity: not counted yet
    if (used > quotas[name as QuotaName]) return 0
    bounds.set(key, used)
    return 1
  }
  const storeBound = (name: unknown, organizationId: unknown, used: unknown) => {
    if (bounds.size >= maxBounds) bounds.clear()
    bounds.set(`${name} ${organizationId}`, Number(used))
    return used
  }
  connection.function('quota_within', isWithin)
  connection.function('quota_counted', storeBound)
  return {
    /** Condition in a trigger: true if a row is one too many, counted by `count`. */
    isExceeded: (name: RowQuota, count: string) => `case when quota_within('${name}', new.organization_id) then 0
      else quota_counted('${name}', new.organization_id, (${count})) > ${quotas[name]} end`,
  }
}

const prefix = 'quota '

/** The quota that made a statement fail; undefined for any other error. */
export function refusedQuota(error: unknown): RowQuota | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'SQLITE_CONSTRAINT_TRIGGER') return undefined
  return rowQuotas.find(([name]) => error.message === prefix + name)?.[0]
}

type Deps = { read: Kysely<Tables>; quotas: Quotas; onRefused: (name: QuotaName) => void }

export function createRowQuotas({ read, quotas, onRefused }: Deps): RowQuotas {
  async function countEach(count: (one: Counted) => Promise<number>): Promise<Record<RowQuota, number>> {
    const counts: [RowQuota, number][] = []
    for (const [name, one] of rowQuotas) counts.push([name, await count(one)])
    return Object.fromEntries(counts) as Record<RowQuota, number>
  }
  /** Rows that may be added before rows are counted again, which takes time in proportion to them: a tenth of the room. */
  const uncounted = new Map<string, number>()
  return {
    async assertRoom(trx, organizationId, name, nowMs) {
      const key = `${name} ${organizationId}`
      const more = uncounted.get(key) ?? 0
      if (more > 0) return void uncounted.set(key, more - 1)
      const room = quotas[name] - (await countOf(trx, countedRows[name], organizationId, nowMs))
      if (uncounted.size >= maxBounds) uncounted.clear()
      if (room > 0) return void uncounted.set(key, Math.floor((room - 1) / 10))
      onRefused(name)
      throw quotaExceeded(name, quotas[name])
    },
    usedBy: (organizationId, nowMs) => countEach((one) => countOf(read, one, organizationId, nowMs)),
    maxUsed: (nowMs) =>
      countEach(async ({ table, live = 'true' }) => {
        const { rows } = await sql<{ max: number | null }>`
          select max(used) as max from (
            select count(*) as used from ${sql.table(table)} where ${conditionAt(live, nowMs)} group by organization_id
          )`.execute(read)
        return rows[0]?.max ?? 0
      }),
  }
}

async function countOf(db: Kysely<Tables>, { table, live = 'true' }: Counted, organizationId: number, nowMs: number) {
  const { rows } = await sql<{ used: number }>`
    select count(*) as used from ${sql.table(table)}
    where organization_id = ${organizationId} and ${conditionAt(live, nowMs)}`.execute(db)
  return rows[0]?.used ?? 0
}

/** A condition with the time in place of each `:now`. */
export function conditionAt(condition: string, nowMs: number) {
  const parts = condition.split(':now').map((part) => sql.raw(part))
  return sql.join(parts, sql`${nowMs}`)
}
