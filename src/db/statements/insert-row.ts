import type { CompiledQuery, Insertable } from 'kysely'
import type { Db } from '../open.ts'
import type { Tables } from '../tables/tables.ts'

/** Compiled inserts by table, one for each set of columns. */
const compiledInserts = new Map<string, { columns: string[]; returning: boolean; query: CompiledQuery }[]>()

/** Inserts a row; returns its rowid, which is its `id` if the table has one. */
export async function insertRow<Name extends keyof Tables>(
  db: Db,
  table: Name,
  row: Insertable<Tables[Name]>,
): Promise<number> {
  const { insertId } = await db.executeQuery(insertOf(db, table, row))
  return Number(insertId)
}

/**
 * Returns the insert of one row; with `returning` the statement returns all columns. The statement is compiled once for each table
 * and set of columns, because compiling costs more than running it.
 */
export function insertOf<Name extends keyof Tables>(
  db: Db,
  table: Name,
  row: Insertable<Tables[Name]>,
  { returning = false } = {},
): CompiledQuery {
  const columns: string[] = []
  const parameters: unknown[] = []
  for (const column in row) {
    const value = row[column]
    if (value === undefined) continue
    columns.push(column)
    parameters.push(value)
  }
  const ofTable = compiledInserts.getOrInsertComputed(table, () => [])
  let compiled = ofTable.find((one) => one.returning === returning && areSame(one.columns, columns))
  if (!compiled) {
    const insert = db.insertInto(table).values(row)
    compiled = { columns, returning, query: (returning ? insert.returningAll() : insert).compile() }
    ofTable.push(compiled)
  }
  return { ...compiled.query, parameters }
}

function areSame(first: string[], second: string[]): boolean {
  return first.length === second.length && first.every((one, at) => one === second[at])
}
