import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import type { DataSourceRow } from '../db/tables/tables.ts'

/** The sources of an organization. */
export const {
  list: listSources,
  get: getSource,
  insert: insertSource,
  update: updateSource,
  remove: deleteSource,
} = organizationRows('data_sources', 'Source')

export async function findDefaultSource(db: Db, organizationId: number): Promise<DataSourceRow | undefined> {
  return db
    .selectFrom('data_sources')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .executeTakeFirst()
}

export async function clearDefaultSource(db: Db, organizationId: number): Promise<void> {
  await db
    .updateTable('data_sources')
    .set({ is_default: 0 })
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .execute()
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
