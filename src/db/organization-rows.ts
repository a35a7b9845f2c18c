import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import { notFound } from '../errors.ts'
import { insertOf } from './statements/insert-row.ts'
import type { Db } from './open.ts'
import { prepared } from './statements/prepared.ts'
import type { Tables } from './tables/tables.ts'

/** Tables whose rows have an id and belong to an organization. */
type OwnedTable = {
  [Name in keyof Tables]: Tables[Name] extends { id: unknown; organization_id: unknown } ? Name : never
}[keyof Tables]

/** Columns that all these tables have: Kysely's types cannot follow a table that is a parameter. */
type Owned = Kysely<{ owned: { id: number; organization_id: number } }>

/** Reads and writes rows of one table, always those of one organization; `label` names a row in an error. */
export function organizationRows<Name extends OwnedTable>(name: Name, label: string) {
  type Row = Selectable<Tables[Name]>
  const table = name as unknown as 'owned'
  const owned = (db: Db) => db as unknown as Owned

  const rowsOf = prepared<{ organizationId: number; id: number }, Row>(
    ({ organizationId, id }) =>
      sql`select * from ${sql.table(name)} where organization_id = ${organizationId} and id = ${id}`,
  )

  async function find(db: Db, organizationId: number, id: number): Promise<Row | undefined> {
    const { rows } = await rowsOf(db, { organizationId, id })
    return rows[0]
  }

  return {
    table: name,
    what: label,
    find,
    /** Throws `not_found`. */
    async get(db: Db, organizationId: number, id: number): Promise<Row> {
      const row = await find(db, organizationId, id)
      if (!row) throw notFound(label)
      return row
    },
    /** All rows of the organization, in the order of their ids. */
    async list(db: Db, organizationId: number): Promise<Row[]> {
      const all = owned(db).selectFrom(table).selectAll().where('organization_id', '=', organizationId).orderBy('id')
      return (await all.execute()) as Row[]
    },
    async insert(db: Db, row: Insertable<Tables[Name]>): Promise<Row> {
      const { rows } = await db.executeQuery(insertOf(db, name, row, { returning: true }))
      return rows[0] as Row
    },
    /** Returns the changed row; throws if there is none. */
    async update(db: Db, organizationId: number, id: number, changes: Updateable<Tables[Name]>): Promise<Row> {
      const changed = owned(db)
        .updateTable(table)
        .set(changes as never)
      const row = changed.where('organization_id', '=', organizationId).where('id', '=', id).returningAll()
      return (await row.executeTakeFirstOrThrow()) as Row
    },
    async remove(db: Db, organizationId: number, id: number): Promise<void> {
      await owned(db).deleteFrom(table).where('organization_id', '=', organizationId).where('id', '=', id).execute()
    },
  }
}

/** Reads and writes rows of a table, as `organizationRows` gives them. */
export type OrganizationRows<Name extends OwnedTable> = ReturnType<typeof organizationRows<Name>>
