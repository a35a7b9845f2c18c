import type { CompiledQuery, Insertable } from 'kysely'
import type { Db } from '../open.ts'
import type { Tables } from '../tables/tables.ts'

const maxStatements = 500
const statements = new Map<string, Pick<CompiledQuery, 'sql' | 'query' | 'queryId'>>()

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
  const parameters: unknown[] = []
  let key = returning ? `${table} returning` : table
  for (const column in row) {
    const value = row[column]
    if (value === undefined) continue
    key += `,${column}`
    parameters.push(value)
  }
  const known = statements.get(key)
  if (known) return { ...known, parameters }
  const insert = db.insertInto(table).values(row)
  const compiled = (returning ? insert.returningAll() : insert).compile()
  const { sql, query, queryId } = compiled
  if (statements.size < maxStatements) statements.set(key, { sql, query, queryId })
  return compiled
}
