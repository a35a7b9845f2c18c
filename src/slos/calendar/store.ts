import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { prepared } from '../../db/statements/prepared.ts'
import { among } from '../../db/statements/among.ts'
import type { CorrectionRow } from '../../db/tables/tables.ts'
import { type FeedNames, maxEvents, namedIds, pastDays } from './feed.ts'

type FeedRow = { organization_id: number; secret_hash: string; created_at: number }

/** Stores the address of an organization's feed in place of the one before; true: there was one. */
export async function setFeed(trx: Db, { organization_id, secret_hash, created_at }: FeedRow): Promise<boolean> {
  const isReplaced = (await feedMadeAt(trx, organization_id)) !== null
  const insert = trx.insertInto('calendar_feeds').values({ organization_id, secret_hash, created_at })
  await insert.onConflict((key) => key.column('organization_id').doUpdateSet({ secret_hash, created_at })).execute()
  return isReplaced
}

/** Removes the address of an organization's feed; false: there is none. */
export async function removeFeed(trx: Db, organizationId: number): Promise<boolean> {
  const removed = trx.deleteFrom('calendar_feeds').where('organization_id', '=', organizationId)
  return (await removed.executeTakeFirstOrThrow()).numDeletedRows > 0n
}

/** Time in ms at which the address of an organization's feed was made; null: it has none. */
export async function feedMadeAt(db: Db, organizationId: number): Promise<number | null> {
  const found = db.selectFrom('calendar_feeds').select('created_at').where('organization_id', '=', organizationId)
  return (await found.executeTakeFirst())?.created_at ?? null
}

/** Organization of a feed, with its name. */
export type FoundFeed = { organizationId: number; organization: string }

const bySecret = prepared<{ hash: string }, FoundFeed>(
  ({ hash }) => sql`
    select o.id as "organizationId", o.name as organization from calendar_feeds f
    join organizations o on o.id = f.organization_id
    where f.secret_hash = ${hash}`,
)

/** Organization whose feed has an address with this hash. */
export async function findFeed(db: Db, hash: string): Promise<FoundFeed | undefined> {
  return (await bySecret(db, { hash })).rows[0]
}

/**
 * Newest corrections of an organization for its feed: recurring ones, and others that end after the begin of the feed and after they were
 * made.
 */
export async function listForFeed(db: Db, organizationId: number, nowMs: number): Promise<CorrectionRow[]> {
  const sinceSeconds = Math.floor(nowMs / 1000) - 86_400 * pastDays
  return db
    .selectFrom('corrections')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((is) => is.or([is('rrule', 'is not', null), is('ends_at', '>', sinceSeconds)]))
    .where((is) => is.or([is('rrule', 'is not', null), is('created_at', '<', is('ends_at', '*', 1000))]))
    .orderBy('id', 'desc')
    .limit(maxEvents)
    .execute()
}

/** Names of the SLOs and teams that the events of corrections name. */
export async function listFeedNames(
  db: Db,
  { organizationId, organization }: FoundFeed,
  corrections: readonly CorrectionRow[],
): Promise<FeedNames> {
  const ids = [...new Set(corrections.flatMap(namedIds))]
  const slos = await db
    .selectFrom('slos')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .where('id', 'in', among(ids))
    .execute()
  const teams = corrections.flatMap(({ team_id }) => (team_id === null ? [] : [team_id]))
  const named = await db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', among([...new Set(teams)]))
    .execute()
  const byId = (rows: { id: number; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]))
  return { organization, slos: byId(slos), teams: byId(named) }
}
