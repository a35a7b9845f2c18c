import type { CompiledQuery, Insertable } from 'kysely'
import type { Db } from './open.ts'
import type { Tables } from './tables/tables.ts'

const maxStatements = 500
const statements = new Map<string, CompiledQuery>()

/** Inserts one row; gives its rowid, which is its `id` where the table has one. */
export async function insertRow<Name extends keyof Tables>(
  db: Db,
  table: Name,
  row: Insertable<Tables[Name]>,
): Promise<number> {
  const { insertId } = await db.executeQuery(insertOf(db, table, row))
  return Number(insertId)
}

/**
 * The insert of one row, `returning`: of all its columns. For a table and a set of columns it is compiled once, because
 * that costs more than to run it.
 */
export function insertOf<Name extends keyof Tables>(
  db: Db,
  table: Name,
  row: Insertable<Tables[Name]>,
  { returning = false } = {},
): CompiledQuery {
  const given = Object.entries(row).filter(([, value]) => value !== undefined)
  const key = `${table} ${returning} ${given.map(([column]) => column).join()}`
  const known = statements.get(key)
  if (known) return { ...known, parameters: given.map(([, value]) => value) }
  const insert = db.insertInto(table).values(row)
  const compiled = (returning ? insert.returningAll() : insert).compile()
  if (statements.size < maxStatements) statements.set(key, { ...compiled, parameters: [] })
  return compiled
}
