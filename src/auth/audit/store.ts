import { type Selectable, sql } from 'kysely'
import type { Actor, AuditEvent } from '../../db/audit.ts'
import type { Db } from '../../db/open.ts'
import { pageOf } from '../../db/page-of.ts'
import type { Tables, UserRow } from '../../db/tables/tables.ts'
import type { Page } from '../../http/paging.ts'
import type { Origin } from '../../origin.ts'

export type AuditRow = Selectable<Tables['audit_log']>

/** Selects entries; `fromMs` is inclusive and `toMs` exclusive, in milliseconds since the epoch. */
export type AuditFilter = {
  event?: AuditEvent | undefined
  outcome?: AuditRow['outcome'] | undefined
  userId?: number | undefined
  /** Id of what was changed, or a part of its name. */
  object?: string | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
}

/** A page of an organization's entries, newest first, and their total number. */
export async function listAuditEntries(
  db: Db,
  organizationId: number,
  filter: AuditFilter & Page,
): Promise<{ rows: AuditRow[]; total: number }> {
  return pageOf(entriesOf(db, organizationId, filter), filter, (entries) => entries.selectAll().orderBy('id', 'desc'))
}

/**
 * Reads the `limit` entries before `beforeId` and returns those that match the filter, newest first. `next`: `beforeId` of the next
 * call; undefined: there are no more. A call costs at most `limit` rows, however few match.
 */
export async function auditEntriesBefore(
  db: Db,
  organizationId: number,
  { beforeId, limit, ...filter }: AuditFilter & { beforeId: number; limit: number },
): Promise<{ rows: AuditRow[]; next: number | undefined }> {
  const last = await entriesOf(db, organizationId, {})
    .select('id')
    .where('id', '<', beforeId)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(limit - 1)
    .executeTakeFirst()
  const rows = await entriesOf(db, organizationId, filter)
    .selectAll()
    .where('id', '<', beforeId)
    .where('id', '>=', last?.id ?? 0)
    .orderBy('id', 'desc')
    .execute()
  return { rows, next: last?.id }
}

/** Deletes the oldest entries before `timeMs`, at most `limit`, so that no other write waits long. Returns their number. */
export async function deleteAuditEntriesBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('id', 'in', (query) =>
      query.selectFrom('audit_log').select('id').where('created_at', '<', timeMs).orderBy('created_at').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

function entriesOf(db: Db, organizationId: number, { event, outcome, userId, object, fromMs, toMs }: AuditFilter) {
  let entries = db.selectFrom('audit_log').where('organization_id', '=', organizationId)
  if (event !== undefined) entries = entries.where('event', '=', event)
  if (outcome !== undefined) entries = entries.where('outcome', '=', outcome)
  if (userId !== undefined) entries = entries.where('user_id', '=', userId)
  if (object !== undefined) entries = entries.where(mentions(object))
  if (fromMs !== undefined) entries = entries.where('created_at', '>=', fromMs)
  if (toMs !== undefined) entries = entries.where('created_at', '<', toMs)
  return entries
}

/** Condition that the details of an entry have `object` as an id, or as a part of a name or e-mail address. */
function mentions(object: string) {
  const inJson = JSON.stringify(object).slice(1, -1) // searched for first, so that few details are parsed
  return sql<boolean>`instr(lower(details), lower(${inJson})) > 0 and exists (
    select 1 from json_each(audit_log.details) as detail
    where (detail.key in ('id', 'name', 'email', 'email_before') or substr(detail.key, -3) = '_id'
      or substr(detail.key, -5) = '_name' or substr(detail.key, -6) = '_email')
    and case detail.type when 'text' then instr(lower(detail.value), lower(${object})) > 0
      else cast(detail.value as text) = ${object} end
  )`
}

/** A user as the actor of an audit entry, for requests without an access token. */
export function actorOf(user: Pick<UserRow, 'id' | 'organization_id' | 'email'>, origin: Origin): Actor {
  return { organizationId: user.organization_id, userId: user.id, email: user.email, origin }
}
