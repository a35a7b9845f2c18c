import { setImmediate as nextTurn } from 'node:timers/promises'
import { deleteExpiredSessions, deleteLoginAttemptsBefore } from '../auth/store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { deleteExecutionsBefore } from '../tsdb/execution-store.ts'

export type ForgetDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

const dayMs = 86_400_000
const loginAttemptsKeptMs = dayMs
const rowsAtOnce = 1000

/** Removes what has outlived its use: expired sessions, yesterday's failed logins, executions past `RETENTION_DAYS`. */
export async function forgetOldRows({ db, clock, config }: ForgetDeps): Promise<void> {
  const nowMs = clock.now()
  await deleteExpiredSessions(db.write, nowMs)
  await deleteLoginAttemptsBefore(db.write, nowMs - loginAttemptsKeptMs)
  const oldest = nowMs - config.retentionDays * dayMs
  for (let gone = rowsAtOnce; gone === rowsAtOnce;) {
    gone = await deleteExecutionsBefore(db.write, oldest, rowsAtOnce)
    await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last row has gone
  }
}
