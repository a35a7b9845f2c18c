import type { SqliteDatabase, SqliteStatement } from 'kysely'
import type { Connection } from './sqlite.ts'

const maxStatements = 500

/** A connection that prepares each SQL text once; Kysely prepares at every call, which takes most of its time. */
export function withStatementCache(connection: Connection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>([['rollback', rollbackIfOpen(connection)]])
  return {
    close: () => connection.close(),
    prepare(sql) {
      const cached = statements.get(sql)
      if (cached) return cached
      const statement = connection.prepare(withFixedPlan(sql))
      if (statements.size < maxStatements) statements.set(sql, statement)
      return statement
    },
  }
}

/**
 * Replaces each `= ?` by `= +?`, which has the same value. If SQLite's planner has read a bound value, it plans the statement again
 * at each execution. The planner reads the value of a `= ?` that no index answers if it is 0 or 1, such as the id of the first
 * organization; that of a `+?` it never reads. The planner also reads values to test if a partial index (`WHERE is_default = 1`)
 * fits, so queries for such rows use a literal.
 */
function withFixedPlan(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'|= \?/g, (part) => (part === '= ?' ? '= +?' : part))
}

/**
 * Rolls back only if there is a transaction. After a fatal failure, such as a full disk, SQLite itself rolls back at once.
 * Kysely rolls back again, and the error that there is nothing to roll back would hide the failure.
 */
function rollbackIfOpen(connection: Connection): SqliteStatement {
  const run = () => {
    if (connection.inTransaction) connection.exec('rollback')
    return { changes: 0, lastInsertRowid: 0 }
  }
  return { reader: false, run, all: () => [], iterate: () => [].values() }
}
