import { usableMemoryBytes } from '../concurrency/memory.ts'
import type { Clock } from '../clock.ts'
import type { WorkerPool } from '../concurrency/worker-pool.ts'
import type { Config } from '../config.ts'
import type { OnDamage } from '../db/failures/damage.ts'
import { createCpuBudget, queryLimits } from '../embedded/query-limits.ts'
import { createEngine } from '../embedded/engine.ts'
import { createAskWorker } from '../embedded/jobs/ask-worker.ts'
import { createLister } from '../embedded/lister.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'

type Options = {
  config: Config
  samples: SampleStore
  workers: WorkerPool
  stopwatch: Clock
  /** Called when a worker meets damage. */
  onDamage: OnDamage
}

/** Creates the query engine and the lister for samples, within the memory limits and each organization's CPU budget. */
export function createQueries({ config, samples, workers, stopwatch, onDamage }: Options) {
  const budget = createCpuBudget({ secondsPerMinute: config.queryCpuSecondsPerMinute, clock: stopwatch })
  const deps = {
    store: samples,
    budget,
    ask: createAskWorker({ workers, budget, onDamage }),
    timeoutMs: config.sourceTimeoutSeconds * 1000,
    limits: queryLimits(usableMemoryBytes()),
  }
  return { engine: createEngine(deps), lister: createLister(deps), budget }
}
