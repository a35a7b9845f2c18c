import type { Db } from '../db/open.ts'
import type { ExecutionRow, NewExecution } from '../db/tables.ts'

/** All of them or none, in one statement. */
export async function insertExecutions(db: Db, executions: NewExecution[]): Promise<ExecutionRow[]> {
  if (executions.length === 0) return []
  return db.insertInto('executions').values(executions).returningAll().execute()
}

/** The oldest executions before `timeMs`, at most `limit`, so that no other write waits long. Returns how many went. */
export async function deleteExecutionsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('executions')
    .where('id', 'in', (query) =>
      query.selectFrom('executions').select('id').where('executed_at', '<', timeMs).orderBy('executed_at').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
