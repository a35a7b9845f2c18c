import type { SqliteDatabase, SqliteStatement } from 'kysely'
import type { Connection } from './sqlite.ts'

const mostStatements = 500

/** A connection that prepares each SQL text once; Kysely prepares anew at every call, which costs most of its time. */
export function withStatementCache(connection: Connection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      const fresh = connection.prepare(sql)
      if (statements.size < mostStatements) statements.set(sql, fresh)
      return fresh
    },
  }
}
