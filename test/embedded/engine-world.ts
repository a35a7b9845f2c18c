import type { Clock } from '../../src/clock.ts'
import { createWorkerPool, type WorkerPool } from '../../src/concurrency/worker-pool.ts'
import { createCpuBudget, type QueryLimits, queryLimits } from '../../src/embedded/query-limits.ts'
import { createEngine } from '../../src/embedded/engine.ts'
import { createJobRunner, type JobRunner } from '../../src/embedded/jobs/job-runner.ts'
import { createLister } from '../../src/embedded/lister.ts'
import type { SampleStore } from '../../src/embedded/store/sample-store.ts'
import { storeWorld } from './store/store-world.ts'

const url = new URL('../../src/worker.ts', import.meta.url).href

/** `isHere`: queries of few samples run in this thread, as in nines; otherwise a worker runs all of them. */
export type Settings = {
  limits?: QueryLimits
  timeoutMs?: number
  secondsPerMinute?: number
  clock?: Clock
  isHere?: boolean
  store?: SampleStore
}

/** Workers that query the stores of worlds. */
export const startEngineWorkers = () => createWorkerPool({ url, workers: 2, workersOfGroup: 1, urgentWorkers: 2 })

/** A store of samples, which these workers query. */
export function engineWorld(workers: WorkerPool) {
  const world = storeWorld()

  function queries({
    limits = queryLimits(1e11),
    timeoutMs = 60_000,
    secondsPerMinute = 1000,
    clock = { now: () => 0 },
    isHere = false,
    store = isHere ? world.store() : { ...world.store(), selectSmall: () => undefined },
  }: Settings = {}) {
    const budget = createCpuBudget({ secondsPerMinute, clock })
    const runInWorker = createJobRunner({ workers, budget })
    let inWorkers = 0
    const runJob: JobRunner = (...job) => {
      inWorkers += 1
      return runInWorker(...job)
    }
    const deps = { store, runJob, budget, timeoutMs, limits }
    return { engine: createEngine(deps), list: createLister(deps), inWorkers: () => inWorkers }
  }

  return {
    ...world,
    queries,
  }
}

export type EngineWorld = ReturnType<typeof engineWorld>
