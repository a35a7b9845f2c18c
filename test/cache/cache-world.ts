import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Cache, createCache } from '../../src/cache/cache.ts'
import { type Database, openDatabase } from '../../src/db/open.ts'
import { Database as Sqlite } from '../../src/db/sqlite.ts'
import { createLog } from '../../src/log.ts'
import { testStartMs } from '../support/app.ts'
import { copyOfTemplate } from '../support/template-data-dir.ts'

/** A cache on a new database for the organizations 1 and 2, with a stopped clock. */
export type CacheWorld = Awaited<ReturnType<typeof cacheWorld>>

export async function cacheWorld({ maxBytesOfOrganization = Infinity } = {}) {
  const dataDir = await copyOfTemplate()
  let nowMs = testStartMs
  const clock = { now: () => nowMs, advance: (ms: number) => void (nowMs += ms) }
  const logged: string[] = []
  const log = createLog({ level: 'debug', format: 'json', now: clock.now, write: (line) => void logged.push(line) })
  const open = (): { db: Database; cache: Cache } => {
    const db = openDatabase({ dataDir })
    return { db, cache: createCache({ db, clock, log, maxBytesOfOrganization }) }
  }
  let current = open()
  await current.db.write
    .insertInto('organizations')
    .values(['one', 'two'].map((name) => ({ name, created_at: nowMs, next_team_id: 1 })))
    .execute()

  return {
    dataDir,
    clock,
    logged,
    get cache() {
      return current.cache
    },
    get db() {
      return current.db
    },
    /** Drains, closes and reopens it, like a restart of the process. */
    async restart() {
      await current.cache.drain()
      await current.db.close()
      current = open()
    },
    /** Reopens it without writing anything that waits. */
    async crash() {
      await current.db.close()
      current = open()
    },
    /** Changes the database without the cache. */
    sql(statement: string): unknown[] {
      const connection = new Sqlite(join(dataDir, 'nines.db'))
      try {
        const prepared = connection.prepare(statement)
        if (prepared.reader) return prepared.all()
        prepared.run()
        return []
      } finally {
        connection.close()
      }
    },
    /** Limits the database to this number of pages. */
    limitPages: (max: number) => sql`pragma max_page_count = ${sql.lit(max)}`.execute(current.db.write),
    keys: async (organizationId = 1) =>
      (await current.cache.list(organizationId, { page: 1, pageSize: 10_000 })).entries
        .map(({ key }) => key)
        .toReversed(),
    async close() {
      await current.cache.drain()
      await current.db.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

export const named = (key: string, organizationId = 1, sloId = 7) => ({
  organizationId,
  key,
  query: `sum(${key})`,
  sloId,
  timeWindow: '1h',
})

/** A computation that must not start. */
export const notExpected = () => Promise.reject(new Error('must be no computation'))

/** A computation that gives a value to be stored. */
export const computes = (value: unknown) => async () => ({ value, isCacheable: true })
