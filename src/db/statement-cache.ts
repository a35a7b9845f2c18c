import type { SqliteDatabase, SqliteStatement } from 'kysely'
import type { Connection } from './sqlite.ts'

const maxStatements = 500

/** A connection that prepares each SQL text once; Kysely prepares again at every call, which costs most of its time. */
export function withStatementCache(connection: Connection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>([['rollback', forgivingRollback(connection)]])
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      const fresh = connection.prepare(sql)
      if (statements.size < maxStatements) statements.set(sql, fresh)
      return fresh
    },
  }
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
