import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** All lookups of an organization so far; `dropped` counts rows that were corrupt. */
export type Counters = { organizationId: number; hits: number; misses: number; dropped: number }

/** `hour`: hours since the epoch. */
export type HourHits = { organizationId: number; key: string; hour: number; hits: number }

/** An entry and its hits within the analytics retention. */
export type HotEntry = {
  organizationId: number
  key: string
  query: string
  sloId: number
  timeWindow: string
  hits: number
}

export async function listCounters(db: Db): Promise<Counters[]> {
  return db
    .selectFrom('cache_counters')
    .select(['organization_id as organizationId', 'hits', 'misses', 'dropped'])
    .execute()
}

export async function putCounters(trx: Db, counters: Counters[]): Promise<void> {
  if (counters.length === 0) return
  const rows = counters.map(({ organizationId, hits, misses, dropped }) => [organizationId, hits, misses, dropped])
  await sql`
    insert or replace into cache_counters (organization_id, hits, misses, dropped)
    select value->>0, value->>1, value->>2, value->>3 from json_each(${JSON.stringify(rows)})`.execute(trx)
}

/** Adds to the stored hits. A stored number that is too large is dropped, because SQLite would turn the sum into a fraction. */
export async function addHits(trx: Db, counted: HourHits[]): Promise<void> {
  if (counted.length === 0) return
  const rows = counted.map(({ organizationId, key, hour, hits }) => [organizationId, key, hour, hits])
  await sql`
    insert into cache_hits (organization_id, key, hour, hits)
    select value->>0, value->>1, value->>2, value->>3 from json_each(${JSON.stringify(rows)}) where true
    on conflict (organization_id, hour, key) do update set
      hits = iif(hits between 0 and 4503599627370496, hits, 0) + excluded.hits`.execute(trx)
}

/** Keys with at least `hits` hits since the begin of `sinceHour`. */
export async function listHotKeys(db: Db, organizationId: number, sinceHour: number, hits: number): Promise<string[]> {
  const rows = await db
    .selectFrom('cache_hits')
    .select('key')
    .where('organization_id', '=', organizationId)
    .where('hour', '>=', sinceHour)
    .groupBy('key')
    .having((eb) => eb.fn.sum('hits'), '>=', hits)
    .execute()
  return rows.map(({ key }) => key)
}

/** The entries with the most hits since the begin of `sinceHour`, fresh or not, of all organizations, highest first. */
export async function listHottest(db: Db, sinceHour: number, limit: number): Promise<HotEntry[]> {
  return db
    .selectFrom('cache_hits')
    .innerJoin('cache_entries', (join) =>
      join
        .onRef('cache_entries.organization_id', '=', 'cache_hits.organization_id')
        .onRef('cache_entries.key', '=', 'cache_hits.key'),
    )
    .select(['cache_entries.organization_id as organizationId', 'cache_entries.key', 'query', 'slo_id as sloId'])
    .select(['time_window as timeWindow', sql<number>`sum(hits)`.as('hits')])
    .where('hour', '>=', sinceHour)
    .groupBy('cache_entries.id')
    .orderBy('hits', 'desc')
    .orderBy('cache_entries.id')
    .limit(limit)
    .execute()
}

/** Deletes hits of hours before `hour`, at most `limit` rows, so that no other write waits long. Returns their number. */
export async function deleteHitsBefore(db: Db, hour: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from cache_hits where (organization_id, hour, key) in (
      select organization_id, hour, key from cache_hits where hour < ${hour} limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
