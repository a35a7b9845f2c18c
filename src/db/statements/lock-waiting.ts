import { CompiledQuery, type DatabaseConnection, SqliteDialect, type SqliteDatabase } from 'kysely'
import type { LockRetry } from '../failures/lock-retry.ts'

/**
 * Dialect for a connection that writes and has no busy timeout. Its transactions take the lock when they begin, so that each of
 * its statements can be repeated.
 */
export function lockWaitingDialect(database: SqliteDatabase, retry: LockRetry): SqliteDialect {
  const dialect = new SqliteDialect({ database })
  return Object.assign(dialect, {
    createDriver() {
      const driver = SqliteDialect.prototype.createDriver.call(dialect)
      const acquire = driver.acquireConnection.bind(driver)
      let connection: DatabaseConnection | undefined
      return Object.assign(driver, {
        async acquireConnection(): Promise<DatabaseConnection> {
          if (connection) return connection
          const direct = await acquire()
          connection = {
            executeQuery: (query) => retry(() => direct.executeQuery(query)),
            streamQuery: direct.streamQuery.bind(direct),
          }
          return connection
        },
        async beginTransaction(on: DatabaseConnection): Promise<void> {
          await on.executeQuery(CompiledQuery.raw('begin immediate'))
        },
      })
    },
  })
}
