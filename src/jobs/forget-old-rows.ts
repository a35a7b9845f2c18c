import { setImmediate as nextTurn } from 'node:timers/promises'
import { deleteAuditEntriesBefore } from '../auth/audit/store.ts'
import { forgetCredentials } from '../auth/expired-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import {
  deleteAlertsBefore,
  deleteNotificationsBefore,
  deleteSilencesBefore,
} from '../notifications/history/retention-store.ts'
import { deleteEvaluationsBefore } from '../evaluation/roll-up-store.ts'
import { deleteBriefExecutions, deleteExecutionsBefore } from '../sources/store.ts'
import { createAttempts } from './attempts.ts'
import { hoursKeptSeconds, minutesKeptSeconds } from '../ledger/bucket.ts'
import { deleteBucketsBefore } from '../ledger/ledger-store.ts'

export type ForgetDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

const dayMs = 86_400_000
const rowsAtOnce = 1000

/**
 * Removes what has outlived its use: expired sessions and other spent credentials, yesterday's failed logins; most
 * executions of stored queries (see `recordRuns`); executions, evaluations, notifications, ended alerts and silences,
 * entries of the audit log and days of the ledger past `RETENTION_DAYS`, its minutes and hours before that. Where one of
 * these fails, the others go on; rejects then with the first failure.
 */
export async function forgetOldRows({ db, clock, config }: ForgetDeps): Promise<void> {
  const nowMs = clock.now()
  const { attempt, assertDone } = createAttempts()
  const inSteps = (deleteSome: (limit: number) => Promise<number>) => attempt(() => deleteAll(deleteSome))
  for (const forget of forgetCredentials) await inSteps((limit) => forget(db.write, nowMs, limit))
  await inSteps((limit) => deleteBriefExecutions(db.write, nowMs, limit))
  const oldest = nowMs - config.retentionDays * dayMs
  const kept = [
    deleteExecutionsBefore,
    deleteEvaluationsBefore,
    deleteNotificationsBefore,
    deleteAlertsBefore,
    deleteSilencesBefore,
    deleteAuditEntriesBefore,
  ]
  for (const deleteBefore of kept) {
    await inSteps((limit) => deleteBefore(db.write, oldest, limit))
  }
  const oldestBuckets = [
    [60, nowMs / 1000 - minutesKeptSeconds],
    [3600, nowMs / 1000 - hoursKeptSeconds],
    [86_400, oldest / 1000],
  ] as const
  for (const [resolution, beforeSeconds] of oldestBuckets) {
    await inSteps((limit) => deleteBucketsBefore(db.write, resolution, beforeSeconds, limit))
  }
  assertDone()
}

async function deleteAll(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(rowsAtOnce)) === rowsAtOnce) {
    await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last row has gone
  }
}
