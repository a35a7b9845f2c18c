import { createWorkerPool, type WorkerPool } from '../../src/concurrency/worker-pool.ts'
import { AppError } from '../../src/errors.ts'

const url = new URL('../../src/worker.ts', import.meta.url).href
const maxShares = 30
let shared: { pool: WorkerPool; shares: number; open: number } | undefined

/**
 * A share of workers of this process for `testApp`: they load their code and have it compiled once, not for each app. To the
 * app it is a pool of its own, but a `samples.db` that was queried stays open in it after its end. Not for tests that look at
 * files of a closed app, or open them again.
 */
export function shareWorkers(): WorkerPool {
  if (shared && shared.shares >= maxShares) retire()
  shared ??= { pool: createWorkerPool({ url, workers: 2, workersOfGroup: 1, urgentWorkers: 2 }), shares: 0, open: 0 }
  const mine = shared
  mine.shares += 1
  mine.open += 1
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  return {
    run(job, conversation, { signal, ...options }) {
      const signals = signal ? [signal, closing.signal] : [closing.signal]
      const done = mine.pool
        .run(job, conversation, { ...options, signal: AbortSignal.any(signals) })
        .finally(() => underWay.delete(done))
      underWay.add(done)
      return done
    },
    async close() {
      if (closing.signal.aborted) return
      closing.abort(new AppError('unavailable', 'nines is stopping'))
      await Promise.allSettled(underWay)
      mine.open -= 1
      if (mine !== shared && mine.open === 0) await mine.pool.close()
    },
  }
}

function retire(): void {
  if (shared?.open === 0) void shared.pool.close()
  shared = undefined
}
