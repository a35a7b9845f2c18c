import { nextStart } from '../concurrency/cooperative.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { type Clock, isoTime, stopwatch } from '../clock.ts'
import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import type { SourceOpener } from './source.ts'
import { listSources, openRow, recordCheck } from './store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener; sourceTimeoutMs: number }

export type SourceHealth = Awaited<ReturnType<typeof checkSource>>

/** Maximum timeout: nobody waits for a health page as long as a heavy query may take. */
const maxTimeoutMs = 10_000

/** Time for which a result is reused. */
const maxAgeMs = 5000

/** Sources of an organization that are checked concurrently. */
const concurrency = 8

/**
 * Queries every active source of an organization for `up`, bypassing the queue of ordinary queries; an empty answer is healthy.
 * Requests at the same time, or within five seconds, share one check, unless the sources have changed.
 */
export function createSourceChecks(deps: Deps): (organizationId: number) => Promise<SourceHealth[]> {
  const { db, clock } = deps
  const checks = createSingleFlight<SourceHealth[]>()
  const cache = new Map<string, { atMs: number; health: SourceHealth[] }>()

  return async (organizationId) => {
    const rows = (await listSources(db.read, organizationId)).filter((row) => row.is_active === 1)
    const key = JSON.stringify([organizationId, rows.map(({ id, updated_at }) => [id, updated_at])])
    const isFresh = ({ atMs }: { atMs: number }) => Math.abs(clock.now() - atMs) < maxAgeMs
    for (const [old, one] of cache) if (!isFresh(one)) cache.delete(old)
    const cached = cache.get(key)
    if (cached) return cached.health
    const health = await checks.join(key, async () => {
      const health = await checkAll(deps, rows)
      cache.set(key, { atMs: clock.now(), health })
      return health
    })
    await nextStart(organizationId) // the responses of all who shared the check are not written in one turn of the event loop
    return health
  }
}

/** Checks sources within one shared timeout: a source that is not queried within it counts as not answering. */
async function checkAll(deps: Deps, rows: DataSourceRow[]): Promise<SourceHealth[]> {
  const semaphore = createSemaphore(concurrency)
  const beganMs = stopwatch.now()
  return Promise.all(rows.map((row) => semaphore.run(() => checkSource(deps, row, stopwatch.now() - beganMs))))
}

async function checkSource({ db, clock, seal, opener, sourceTimeoutMs }: Deps, row: DataSourceRow, elapsedMs: number) {
  const nowMs = clock.now()
  const timeoutMs = Math.min(sourceTimeoutMs, maxTimeoutMs)
  const error = await openRow({ seal, opener }, row)
    .instant('up', Math.floor(nowMs / 1000), { urgent: true, timeoutMs, elapsedMs })
    .then(() => null, problemOf)
  await unlessDiskRefuses(() => db.groupCommit((trx) => recordCheck(trx, row.id, nowMs, error)), undefined)
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    api_url: row.api_url,
    is_active: true,
    status: error === null ? 'healthy' : 'unreachable',
    last_check: isoTime(nowMs),
    ...(error === null ? {} : { error }),
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  return error.details ?? error.message
}
