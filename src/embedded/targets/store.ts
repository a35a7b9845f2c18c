import type { Insertable, Updateable } from 'kysely'
import { aroundDamagedRows } from '../../db/failures/damage.ts'
import type { Db } from '../../db/open.ts'
import type { ScrapeTargetRow, Tables } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export async function listTargets(db: Db, organizationId: number): Promise<ScrapeTargetRow[]> {
  return db
    .selectFrom('scrape_targets')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** Of one organization, or of all; without those whose rows are damaged. */
export async function listActiveTargets(db: Db, organizationId?: number): Promise<ScrapeTargetRow[]> {
  const active = db.selectFrom('scrape_targets').selectAll().where('is_active', '=', 1)
  const meant = organizationId === undefined ? active : active.where('organization_id', '=', organizationId)
  return aroundDamagedRows(
    () => meant.execute(),
    async () => (await db.selectFrom('scrape_targets').select('id').execute()).map(({ id }) => id),
    (ids) => meant.where('id', 'in', ids).execute(),
  )
}

export async function getTarget(db: Db, organizationId: number, id: number): Promise<ScrapeTargetRow> {
  const row = await db
    .selectFrom('scrape_targets')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('Target')
  return row
}

export async function insertTarget(db: Db, target: Insertable<Tables['scrape_targets']>): Promise<ScrapeTargetRow> {
  return db.insertInto('scrape_targets').values(target).returningAll().executeTakeFirstOrThrow()
}

export async function updateTarget(
  db: Db,
  organizationId: number,
  id: number,
  changes: Updateable<Tables['scrape_targets']>,
): Promise<ScrapeTargetRow> {
  return db
    .updateTable('scrape_targets')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteTarget(db: Db, organizationId: number, id: number): Promise<void> {
  await db.deleteFrom('scrape_targets').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}
