import type { SqliteDatabase, SqliteStatement } from 'kysely'
import type { Connection } from './sqlite.ts'

const maxStatements = 500

type Watched = (sql: string, statement: SqliteStatement) => SqliteStatement

/** A connection that prepares each SQL text once; Kysely prepares again at every call, which costs most of its time. */
export function withStatementCache(connection: Connection, watched: Watched = (_, one) => one): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>([['rollback', forgivingRollback(connection)]])
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      const fresh = watched(sql, connection.prepare(withFixedPlan(sql)))
      if (statements.size < maxStatements) statements.set(sql, fresh)
      return fresh
    },
  }
}

/**
 * SQLite plans a statement again at each execution where its planner has looked at a bound value, as it does at each `= ?` that
 * no index answers and whose value is 0 or 1, such as the id of the first organization; it looks at no `+?`, which is the same
 * value. That includes the test whether a partial index (`WHERE is_default = 1`) fits: queries for such rows say a literal.
 */
function withFixedPlan(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'|= \?/g, (part) => (part === '= ?' ? '= +?' : part))
}

/**
 * What goes wrong for good, as on a full disk, SQLite itself rolls back at once. Kysely rolls back all the same, and the
 * complaint that there is nothing to roll back would hide what happened.
 */
function forgivingRollback(connection: Connection): SqliteStatement {
  const run = () => {
    if (connection.inTransaction) connection.exec('rollback')
    return { changes: 0, lastInsertRowid: 0 }
  }
  return { reader: false, run, all: () => [], iterate: () => [].values() }
}
