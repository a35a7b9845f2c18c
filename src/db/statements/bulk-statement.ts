import { CompiledQuery } from 'kysely'
import type { Db } from '../open.ts'

type Value = string | number | null

/** Text of a statement over rows. `values` is `(?, …), (?, …)`, with as many rows as are bound at once. */
type StatementOverRows = (values: string) => string

const manyRows = 50
const compiled = new WeakMap<StatementOverRows, Map<number, CompiledQuery>>()

/**
 * Executes a statement with the values of many rows as its parameters, all or none; numbers that are not finite become NULL.
 * Reading them from JSON would take SQLite two to five times as long. The statement must be a constant of its module, because
 * its text is built once for many rows and once for one. All rows must have equally many values.
 */
export async function executeOverRows(db: Db, rows: readonly Value[][], statement: StatementOverRows): Promise<void> {
  if (rows.length === 0) return
  if (db.isTransaction) await executeAll(db, rows, statement)
  else await db.transaction().execute((trx) => executeAll(trx, rows, statement))
}

async function executeAll(trx: Db, rows: readonly Value[][], statement: StatementOverRows): Promise<void> {
  for (let at = 0; at < rows.length;) {
    const count = rows.length - at < manyRows ? 1 : manyRows
    const chunk = rows.slice(at, at + count)
    const parameters = chunk.flatMap((row) => row.map(orNull))
    await trx.executeQuery({ ...compiledOf(statement, count, rows[at]?.length ?? 0), parameters })
    at += count
  }
}

function orNull(value: Value): Value {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value
}

function compiledOf(statement: StatementOverRows, rows: number, columns: number): CompiledQuery {
  const row = `(${Array<string>(columns).fill('?').join(', ')})`
  const make = () => CompiledQuery.raw(statement(Array<string>(rows).fill(row).join(', ')))
  return compiled.getOrInsertComputed(statement, () => new Map()).getOrInsertComputed(rows, make)
}
