import type { Clock } from '../clock.ts'
import type { WorkerPool } from '../concurrency/worker-pool.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../embedded/engine.ts'
import type { Outbound } from '../http/outbound/outbound.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createSourceAnswers } from '../sources/source-status.ts'
import { withEmbedded } from '../sources/embedded-source.ts'
import { createPrometheus } from '../sources/prometheus/client.ts'
import type { SourceOpener } from '../sources/source.ts'

type Options = {
  config: Pick<Config, 'sourceTimeoutSeconds' | 'sourceUrl' | 'evaluationConcurrency'>
  clock: Clock
  log: Log
  metrics: Metrics
  outbound: Outbound
  workers: WorkerPool
  engine: Engine
  metadata: (organizationId: number) => readonly { metric: string; type: string }[]
  /** Opener that tests use in place of all sources. */
  replaced: SourceOpener | undefined
}

/** Openers of an organization's data sources: `opener` for requests that clients wait for, `scheduled` for scheduled work. */
export function openSources({ config, clock, outbound, workers, engine, metadata, replaced, ...world }: Options) {
  const sourceTimeoutMs = config.sourceTimeoutSeconds * 1000
  const deps = { timeoutMs: sourceTimeoutMs, metrics: world.metrics }
  const prometheus = createPrometheus({
    ...deps,
    outbound,
    operatorUrl: config.sourceUrl,
    workers,
    concurrency: config.evaluationConcurrency,
    log: world.log,
  })
  const sources = { ...deps, engine, otherSources: prometheus, metadata }
  const sourceAnswers = createSourceAnswers(clock)
  return {
    sourceTimeoutMs,
    sourceAnswers,
    opener: sourceAnswers.recording(replaced ?? withEmbedded(sources)),
    scheduled: sourceAnswers.recording(replaced ?? withEmbedded({ ...sources, isScheduled: true })),
  }
}
