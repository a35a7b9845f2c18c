import type { Insertable, Selectable, Updateable } from 'kysely'
import { aroundDamagedRows } from '../../db/failures/damage.ts'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

type Collected = 'scrape_targets' | 'probes'
type Row<T extends Collected> = Selectable<Tables[T]>

type Rows<T extends Collected> = {
  list(db: Db, organizationId: number): Promise<Row<T>[]>
  /** Active rows of one organization, or of all; skips damaged rows. */
  listActive(db: Db, organizationId?: number): Promise<Row<T>[]>
  get(db: Db, organizationId: number, id: number): Promise<Row<T>>
  insert(db: Db, row: Insertable<Tables[T]>): Promise<Row<T>>
  update(db: Db, organizationId: number, id: number, changes: Updateable<Tables[T]>): Promise<Row<T>>
  remove(db: Db, organizationId: number, id: number): Promise<void>
}

export const targetRows = rowsOf('scrape_targets', 'Target')
/** Cast, because Kysely does not see that both tables have the columns named here. */
export const probeRows = rowsOf('probes' as 'scrape_targets', 'Probe') as unknown as Rows<'probes'>

function rowsOf(table: 'scrape_targets', what: string): Rows<'scrape_targets'> {
  const all = (db: Db) => db.selectFrom(table).selectAll()
  return {
    list: (db, organizationId) => all(db).where('organization_id', '=', organizationId).orderBy('id').execute(),
    listActive(db, organizationId) {
      const active = all(db).where('is_active', '=', 1)
      const meant = organizationId === undefined ? active : active.where('organization_id', '=', organizationId)
      return aroundDamagedRows(
        () => meant.execute(),
        async () => (await db.selectFrom(table).select('id').execute()).map(({ id }) => id),
        (ids) => meant.where('id', 'in', ids).execute(),
      )
    },
    async get(db, organizationId, id) {
      const row = await all(db).where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound(what)
      return row
    },
    insert: (db, row) => db.insertInto(table).values(row).returningAll().executeTakeFirstOrThrow(),
    update: (db, organizationId, id, changes) =>
      db
        .updateTable(table)
        .set(changes)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    async remove(db, organizationId, id) {
      await db.deleteFrom(table).where('organization_id', '=', organizationId).where('id', '=', id).execute()
    },
  }
}
