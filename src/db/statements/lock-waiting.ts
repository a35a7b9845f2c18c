import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { CompiledQuery, type DatabaseConnection, SqliteDialect, type SqliteDatabase } from 'kysely'
import type { LockRetry } from '../failures/lock-retry.ts'
import type { Connection } from '../sqlite.ts'
import { isTurnOver } from './executor.ts'

type Deps = { connection: Pick<Connection, 'inTransaction'>; retry: LockRetry }

/**
 * Dialect for a connection that writes and has no busy timeout. A statement that meets a lock is repeated; transactions take the
 * lock when they begin, so that this cannot happen inside one. A transaction begins in a later turn of the event loop if statements
 * have taken long in this one, because each commit waits for the disk.
 */
export function lockWaitingDialect(database: SqliteDatabase, { connection, retry }: Deps): SqliteDialect {
  const dialect = new SqliteDialect({ database })
  return Object.assign(dialect, {
    createDriver() {
      const driver = SqliteDialect.prototype.createDriver.call(dialect)
      const acquire = driver.acquireConnection.bind(driver)
      let retrying: DatabaseConnection | undefined
      return Object.assign(driver, {
        async acquireConnection(): Promise<DatabaseConnection> {
          if (retrying) return retrying
          const direct = await acquire()
          retrying = {
            async executeQuery(query) {
              while (!connection.inTransaction && isTurnOver()) await yieldToEventLoop()
              return retry(() => direct.executeQuery(query))
            },
            streamQuery: direct.streamQuery.bind(direct),
          }
          return retrying
        },
        async beginTransaction(on: DatabaseConnection): Promise<void> {
          await on.executeQuery(CompiledQuery.raw('begin immediate'))
        },
      })
    },
  })
}
