import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { createWorkerPool, type WorkerPool } from '../../concurrency/worker-pool.ts'
import { type CheckProgress, checkDatabaseJob, type CheckRequest } from '../../db/failures/check-database.ts'
import type { DatabaseFile } from '../../db/failures/damage.ts'
import type { Log } from '../../log.ts'
import type { DamageWatch } from '../../status/watch/damage-watch.ts'

/** Reads both databases completely, in the background, and checks them for damage. */
type Integrity = {
  /** Resolves when both have been read, or one could not be; at once if a check is running or nines is stopping. Never rejects. */
  check(): Promise<void>
  /** Abandons a running check. */
  close(): void
}

type Deps = {
  dataDir: string
  workerUrl: string
  holdDescriptors: () => () => void
  damage: DamageWatch
  stopwatch: Clock
  log: Log
}

const files: DatabaseFile[] = ['nines.db', 'samples.db']
const timeoutMs = 6 * 60 * 60 * 1000
const logEveryMs = 10_000

export function createIntegrity({ dataDir, workerUrl, holdDescriptors, damage, stopwatch, log }: Deps): Integrity {
  let pool: WorkerPool | undefined
  let isClosed = false

  async function checkFile(own: WorkerPool, file: DatabaseFile): Promise<void> {
    const path = join(dataDir, file)
    const beganMs = stopwatch.now()
    const endCheck = damage.checking(file)
    const size_bytes = statSync(path, { throwIfNoEntry: false })?.size
    log.info('integrity check began', { file, size_bytes })
    let loggedMs = beganMs
    const finding = await own.run<CheckRequest, CheckProgress, string | null>(
      checkDatabaseJob,
      async ({ post, next }) => {
        post({ path })
        for (;;) {
          const progress = await next()
          if ('finding' in progress) return progress.finding
          if (stopwatch.now() - loggedMs < logEveryMs) continue
          loggedMs = stopwatch.now()
          log.info('integrity check continues', {
            file,
            table: progress.table,
            done: progress.done,
            of: progress.tables,
          })
        }
      },
      { group: file, deadlineMs: timeoutMs },
    )
    endCheck(finding)
    const seconds = Math.round(stopwatch.now() - beganMs) / 1000
    if (finding === null) log.info('integrity check passed', { file, seconds })
    else log.error('integrity check failed', { file, seconds, finding })
  }

  return {
    async check() {
      if (pool || isClosed) return
      // A separate worker, which ends with the check: in the shared pool, queries would wait for it or terminate it.
      const own = createWorkerPool({
        url: workerUrl,
        workers: 1,
        workersOfGroup: 1,
        urgentWorkers: 0,
        holdDescriptors,
      })
      pool = own
      try {
        for (const file of files) await checkFile(own, file)
      } catch (error) {
        if (!isClosed) log.error('integrity check not finished', { error })
      } finally {
        pool = undefined
        void own.close()
      }
    },
    close() {
      isClosed = true
      void pool?.close() // SQLite is not interrupted; its result is ignored
    },
  }
}
