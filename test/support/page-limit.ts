import { sql } from 'kysely'
import type { Db } from '../../src/db/open.ts'

/** Limits the database to the pages it has. A write that needs more fails as on a full disk. */
export async function limitPages(write: Db): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(write)
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(write)
}

export async function unlimitPages(write: Db): Promise<void> {
  await sql`pragma max_page_count = 1000000`.execute(write)
}

/** Resolves once a write has been refused. */
export async function untilRefused(write: () => Promise<unknown>): Promise<void> {
  for (let tried = 0; tried < 100_000; tried += 1) {
    try {
      await write()
    } catch {
      return
    }
  }
  throw new Error('nothing was refused')
}
