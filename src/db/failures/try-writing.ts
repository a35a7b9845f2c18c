import { sql } from 'kysely'
import type { Db } from '../open.ts'

/** Writes the schema version over itself: throws where the disk is full, gone or read-only, which a lock does not show. */
export async function tryWriting(write: Db): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(write)
  await sql`pragma user_version = ${sql.lit(rows[0]?.user_version ?? 0)}`.execute(write)
}
