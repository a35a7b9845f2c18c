import type { Insertable, Updateable } from 'kysely'
import { aroundDamagedRows } from '../../db/failures/damage.ts'
import type { Db } from '../../db/open.ts'
import type { ProbeRow, Tables } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

export async function listProbes(db: Db, organizationId: number): Promise<ProbeRow[]> {
  return db.selectFrom('probes').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()
}

/** Of one organization, or of all; without those whose rows are damaged. */
export async function listActiveProbes(db: Db, organizationId?: number): Promise<ProbeRow[]> {
  const active = db.selectFrom('probes').selectAll().where('is_active', '=', 1)
  const meant = organizationId === undefined ? active : active.where('organization_id', '=', organizationId)
  return aroundDamagedRows(
    () => meant.execute(),
    async () => (await db.selectFrom('probes').select('id').execute()).map(({ id }) => id),
    (ids) => meant.where('id', 'in', ids).execute(),
  )
}

export async function getProbe(db: Db, organizationId: number, id: number): Promise<ProbeRow> {
  const row = await db
    .selectFrom('probes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('Probe')
  return row
}

export async function insertProbe(db: Db, probe: Insertable<Tables['probes']>): Promise<ProbeRow> {
  return db.insertInto('probes').values(probe).returningAll().executeTakeFirstOrThrow()
}

export async function updateProbe(
  db: Db,
  organizationId: number,
  id: number,
  changes: Updateable<Tables['probes']>,
): Promise<ProbeRow> {
  return db
    .updateTable('probes')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteProbe(db: Db, organizationId: number, id: number): Promise<void> {
  await db.deleteFrom('probes').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}
