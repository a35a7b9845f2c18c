import type { Clock } from '../clock.ts'
import { usableMemoryBytes } from '../concurrency/memory.ts'
import type { WorkerPool } from '../concurrency/worker-pool.ts'
import type { Config } from '../config.ts'
import type { OnDamage } from '../db/failures/damage.ts'
import { createEngine, type Engine } from '../embedded/engine.ts'
import { createJobRunner } from '../embedded/jobs/job-runner.ts'
import { createLister } from '../embedded/lister.ts'
import { createCpuBudget, queryLimits } from '../embedded/query-limits.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import type { Outbound } from '../http/outbound/outbound.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { withEmbedded } from '../sources/embedded-source.ts'
import { createPrometheus } from '../sources/prometheus/client.ts'
import { createSourceAnswers } from '../sources/source-status.ts'
import type { SourceOpener } from '../sources/source.ts'

type Options = {
  config: Pick<Config, 'sourceTimeoutSeconds' | 'sourceUrl' | 'evaluationConcurrency' | 'slowQuerySeconds'>
  clock: Clock
  log: Log
  metrics: Metrics
  outbound: Outbound
  workers: WorkerPool
  engine: Engine
  metadata: (organizationId: number) => readonly { metric: string; type: string }[]
  /** Opener that tests use in place of all sources. */
  testOpener: SourceOpener | undefined
}

/**
 * Creates two openers of data sources: `opener` for requests of clients, `scheduled` for jobs. `sourceAnswers` records the answers
 * that sources give to either.
 */
export function openSources({ config, clock, outbound, workers, engine, metadata, testOpener, ...others }: Options) {
  const sourceTimeoutMs = config.sourceTimeoutSeconds * 1000
  const deps = { timeoutMs: sourceTimeoutMs, metrics: others.metrics }
  const prometheus = createPrometheus({
    ...deps,
    outbound,
    operatorUrl: config.sourceUrl,
    workers,
    concurrency: config.evaluationConcurrency,
    log: others.log,
  })
  const sources = { ...deps, engine, otherSources: prometheus, metadata }
  const sourceAnswers = createSourceAnswers({ clock, log: others.log, config })
  return {
    sourceTimeoutMs,
    sourceAnswers,
    opener: sourceAnswers.recording(testOpener ?? withEmbedded(sources)),
    scheduled: sourceAnswers.recording(testOpener ?? withEmbedded({ ...sources, isScheduled: true })),
  }
}

type QueryOptions = {
  config: Config
  samples: SampleStore
  workers: WorkerPool
  stopwatch: Clock
  /** Called when a worker meets damage. */
  onDamage: OnDamage
}

/** Creates the query engine and the lister for samples, within the memory limits and each organization's CPU budget. */
export function createQueries({ config, samples, workers, stopwatch, onDamage }: QueryOptions) {
  const budget = createCpuBudget({ secondsPerMinute: config.queryCpuSecondsPerMinute, clock: stopwatch })
  const deps = {
    store: samples,
    budget,
    runJob: createJobRunner({ workers, budget, onDamage }),
    timeoutMs: config.sourceTimeoutSeconds * 1000,
    limits: queryLimits(usableMemoryBytes()),
  }
  return { engine: createEngine(deps), lister: createLister(deps), budget }
}
