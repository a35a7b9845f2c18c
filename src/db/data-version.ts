import { sql } from 'kysely'
import type { Db } from './open.ts'

/** A number that changes with each commit, as the reading connection sees it. */
export async function dataVersion(read: Db): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(read)
  return rows[0]?.data_version ?? 0
}
