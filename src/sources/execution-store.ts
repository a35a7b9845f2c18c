import type { Db } from '../db/open.ts'
import type { ExecutionRow, NewExecution } from '../db/tables/tables.ts'

/** All of them or none, in one statement. */
export async function insertExecutions(db: Db, executions: NewExecution[]): Promise<ExecutionRow[]> {
  if (executions.length === 0) return []
  return db.insertInto('executions').values(executions).returningAll().execute()
}

/** The oldest executions before `timeMs`, at most `limit`, so that no other write waits long. Returns how many went. */
export async function deleteExecutionsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  return deleteOldest(db, 'executed_at', timeMs, limit)
}

/** Likewise those that need not be kept for as long as the others. */
export async function deleteBriefExecutions(db: Db, nowMs: number, limit: number): Promise<number> {
  return deleteOldest(db, 'forget_at', nowMs + 1, limit)
}

async function deleteOldest(
  db: Db,
  column: 'executed_at' | 'forget_at',
  beforeMs: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('executions')
    .where('id', 'in', (query) =>
      query.selectFrom('executions').select('id').where(column, '<', beforeMs).orderBy(column).limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The newest of a stored query, and how many there are in all. */
export async function listExecutionsOfQuery(
  db: Db,
  organizationId: number,
  queryId: number,
  limit: number,
): Promise<{ rows: ExecutionRow[]; total: number }> {
  const listed = db
    .selectFrom('executions')
    .where('organization_id', '=', organizationId)
    .where('query_id', '=', queryId)
  const { total } = await listed.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await listed.selectAll().orderBy('executed_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return { rows, total }
}
