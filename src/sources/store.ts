import type { Insertable, Updateable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { DataSourceRow, Tables } from '../db/tables/tables.ts'
import { notFound } from '../errors.ts'

export async function listSources(db: Db, organizationId: number): Promise<DataSourceRow[]> {
  return db.selectFrom('data_sources').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()
}

export async function getSource(db: Db, organizationId: number, id: number): Promise<DataSourceRow> {
  const row = await db
    .selectFrom('data_sources')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('Source')
  return row
}

export async function findDefaultSource(db: Db, organizationId: number): Promise<DataSourceRow | undefined> {
  return db
    .selectFrom('data_sources')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .executeTakeFirst()
}

export async function insertSource(db: Db, source: Insertable<Tables['data_sources']>): Promise<DataSourceRow> {
  return db.insertInto('data_sources').values(source).returningAll().executeTakeFirstOrThrow()
}

export async function updateSource(
  db: Db,
  organizationId: number,
  id: number,
  changes: Updateable<Tables['data_sources']>,
): Promise<DataSourceRow> {
  return db
    .updateTable('data_sources')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function clearDefaultSource(db: Db, organizationId: number): Promise<void> {
  await db
    .updateTable('data_sources')
    .set({ is_default: 0 })
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .execute()
}

export async function deleteSource(db: Db, organizationId: number, id: number): Promise<void> {
  await db.deleteFrom('data_sources').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}

/** How many SLOs, deleted ones too, name this source. */
export async function countSlosOfSource(db: Db, organizationId: number, id: number): Promise<number> {
  const { count } = await db
    .selectFrom('slos')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', id)
    .executeTakeFirstOrThrow()
  return count
}

/** Keeps how the last check of a source went; a source deleted in the meantime is none to keep it for. */
export async function recordCheck(db: Db, id: number, checkedAtMs: number, error: string | null): Promise<void> {
  await db
    .updateTable('data_sources')
    .set({ last_check_at: checkedAtMs, last_error: error })
    .where('id', '=', id)
    .execute()
}
