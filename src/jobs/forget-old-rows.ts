import { setImmediate as nextTurn } from 'node:timers/promises'
import { deleteAuditEntriesBefore } from '../auth/audit-store.ts'
import { forgetCredentials } from '../auth/expired-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { deleteExecutionsBefore } from '../tsdb/execution-store.ts'

export type ForgetDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

const dayMs = 86_400_000
const rowsAtOnce = 1000

/**
 * Removes what has outlived its use: expired sessions and other spent credentials, yesterday's failed logins; executions
 * and entries of the audit log past `RETENTION_DAYS`.
 */
export async function forgetOldRows({ db, clock, config }: ForgetDeps): Promise<void> {
  const nowMs = clock.now()
  for (const forget of forgetCredentials) await inSteps((limit) => forget(db.write, nowMs, limit))
  const oldest = nowMs - config.retentionDays * dayMs
  for (const deleteBefore of [deleteExecutionsBefore, deleteAuditEntriesBefore]) {
    await inSteps((limit) => deleteBefore(db.write, oldest, limit))
  }
}

async function inSteps(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(rowsAtOnce)) === rowsAtOnce) {
    await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last row has gone
  }
}
