import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { deleteAuditEntriesBefore } from '../auth/audit/store.ts'
import { credentialPruners } from '../auth/expired-store.ts'
import { listOrganizations } from '../auth/organizations/store.ts'
import type { Tokens } from '../auth/sessions/tokens.ts'
import { type Clock, dayMs } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { pruneSlo, pruneHistory, historyNames, listSlosToPrune } from '../db/prune-history.ts'
import { deleteAlertsBefore } from '../notifications/alerts/alert-store.ts'
import { deleteIncidentsBefore } from '../notifications/incidents/incident-store.ts'
import { deleteNotificationsBefore } from '../notifications/history/history-store.ts'
import { deleteSilencesBefore } from '../notifications/silences/silence-store.ts'
import { deleteAnnotationsBefore } from '../slos/annotations/store.ts'
import { deleteCorrectionsBefore } from '../slos/corrections/store.ts'
import { deleteEvaluationsBefore } from '../evaluation/roll-up-store.ts'
import { deleteExpiredExecutions, deleteExecutionsBefore } from '../sources/store.ts'
import { hoursKeptSeconds, minutesKeptSeconds } from '../ledger/bucket.ts'
import { deleteExcludedBefore } from '../ledger/excluded/excluded-store.ts'
import { deleteBucketsBefore } from '../ledger/ledger-store.ts'
import { ledgerCacheOf } from '../ledger/memory/ledger-cache.ts'

export type PruneDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

type QuotaDeps = { db: Database; clock: Clock; config: Pick<Config, 'quotas'> }
type SignInDeps = { db: Pick<Database, 'changedByOthers'>; tokens: Pick<Tokens, 'invalidate'> }

const batchSize = 1000

/**
 * Deletes old rows: expired sessions and other used credentials, yesterday's failed logins; executions of stored queries, most of
 * which have a shorter retention (see `recordRuns`); and what is older than `RETENTION_DAYS`: executions, evaluations, notifications,
 * ended alerts, incidents and silences, annotations, corrections, entries of the audit log and days of the ledger. Minutes and hours
 * of the ledger are deleted earlier. If one of these fails, the others continue, and the first failure is thrown at the end.
 */
export async function pruneOldRows({ db, clock, config }: PruneDeps): Promise<void> {
  const nowMs = clock.now()
  const { attempt, assertDone } = createAttempts()
  const inBatches = (deleteSome: (limit: number) => Promise<number>) => attempt(() => deleteAll(deleteSome))
  for (const prune of credentialPruners) await inBatches((limit) => prune(db.write, nowMs, limit))
  await inBatches((limit) => deleteExpiredExecutions(db.write, nowMs, limit))
  const oldestMs = nowMs - config.retentionDays * dayMs
  const deletionsByAge = [
    deleteExecutionsBefore,
    deleteEvaluationsBefore,
    deleteNotificationsBefore,
    deleteAlertsBefore,
    deleteIncidentsBefore,
    deleteSilencesBefore,
    deleteAnnotationsBefore,
    deleteCorrectionsBefore,
    deleteExcludedBefore,
    deleteAuditEntriesBefore,
  ]
  for (const deleteBefore of deletionsByAge) {
    await inBatches((limit) => deleteBefore(db.write, oldestMs, limit))
  }
  const oldestBuckets = [
    [60, nowMs / 1000 - minutesKeptSeconds],
    [3600, nowMs / 1000 - hoursKeptSeconds],
    [86_400, oldestMs / 1000],
  ] as const
  for (const [resolution, beforeSeconds] of oldestBuckets) {
    await inBatches((limit) => deleteBucketsBefore(db.write, resolution, beforeSeconds, limit))
    ledgerCacheOf(db).noteDeletedBefore(resolution, beforeSeconds)
  }
  assertDone()
}

/**
 * Bounds the history of each organization, however fast it grows: keeps the newest `QUOTA_HISTORY_ROWS` rows of each history,
 * and as many deleted SLOs, which can still be restored, as it may have active ones. If one of these fails, the others
 * continue, and the first failure is thrown at the end.
 */
export async function pruneToQuota({ db, clock, config: { quotas } }: QuotaDeps): Promise<void> {
  const { attempt, assertDone } = createAttempts()
  const inBatches = (deleteSome: () => Promise<number>) => attempt(() => deleteAll(deleteSome))
  for (const { id: organizationId } of await listOrganizations(db.read)) {
    for (const history of historyNames) {
      const bounds = { organizationId, keep: quotas.history_rows, nowMs: clock.now(), limit: batchSize }
      await inBatches(() => pruneHistory(db.write, history, bounds))
    }
    const slos = await attempt(() => listSlosToPrune(db.read, organizationId, quotas.slos))
    for (const id of slos ?? []) await inBatches(() => pruneSlo(db.write, id, batchSize))
    await yieldToEventLoop()
  }
  assertDone()
}

async function deleteAll(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  // SQLite runs synchronously: without yielding in between, nothing else would be served until all rows are deleted
  while ((await deleteSome(batchSize)) > 0) await yieldToEventLoop()
}

/** Runs the parts of a job so that a failing one does not stop the others. */
function createAttempts() {
  const failures: unknown[] = []
  return {
    /** Runs a part; undefined if it fails. */
    async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
      try {
        return await work()
      } catch (error) {
        failures.push(error)
        return undefined
      }
    },
    /** Throws the first failure, if there is one. */
    assertDone(): void {
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Makes every token be looked up again if another process, such as `nines admin`, may have ended its session. */
export function clearTokenCacheIfChanged({ db, tokens }: SignInDeps): void {
  if (db.changedByOthers()) tokens.invalidate(() => true)
}
