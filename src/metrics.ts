import { stopwatch } from './clock.ts'
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { createRequestMetrics } from './metrics/request-tally.ts'
import { version } from '../package.json' with { type: 'json' }

/** Metrics of nines about itself, since its start. */
export type Metrics = ReturnType<typeof createMetrics>

/** `isFailed`: the source gave no answer. `current` null: the answer had no value. */
type Evaluated = { isFailed: boolean; current: number | null; evaluatedAtMs: number }

export type SourceOutcome = 'answered' | 'refused' | 'unavailable'

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
const maxSources = 200
const sourceMetrics = new Set(['nines_source_requests_total', 'nines_source_request_duration_seconds'])
/** Time between two runs of the timer whose lateness is the lag of the event loop. */
const lagTimerMs = 100
const fastBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const slowBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** `quotas`: names of the quotas. Each is counted from 0 on, so that the first refusal is an increase. */
export function createMetrics(quotas: readonly string[] = []) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, labelNames, buckets, registers })

  const tally = createRequestMetrics(fastBuckets)
  for (const metric of [tally.requests, tally.durations]) registry.registerMetric(metric as unknown as Metric)
  // The API promises `cache_hits` and `cache_misses`, which are not names of counters. They are gauges, next to counters with
  // `_total`.
  const cacheReads = {
    hits: [
      counter('cache_hits_total', 'Results that the cache had.'),
      gauge('cache_hits', 'As cache_hits_total, which is the one to take a rate of.'),
    ],
    misses: [
      counter('cache_misses_total', 'Results that the cache did not have.'),
      gauge('cache_misses', 'As cache_misses_total, which is the one to take a rate of.'),
    ],
  }
  const openSockets = gauge('websocket_connections', 'WebSocket connections that are open.')
  const sockets = counter('websocket_connections_total', 'WebSocket connections accepted.')
  const sourceRequests = counter(
    'nines_source_requests_total',
    'Queries sent to metrics sources: answered, refused (an invalid query), or unavailable.',
    'source_id',
    'outcome',
  )
  const sourceSeconds = histogram(
    'nines_source_request_duration_seconds',
    'Time a metrics source took for a query, with its retries.',
    fastBuckets,
    'source_id',
  )
  const evaluations = counter(
    'nines_evaluations_total',
    'Evaluations of SLOs: measured, unknown (answered without a value), or failed (the source gave no answer).',
    'outcome',
  )
  const chunkSeconds = histogram(
    'nines_evaluation_batch_duration_seconds',
    'Time to evaluate a batch of up to 250 SLOs of one source.',
    slowBuckets,
  )
  const lastEvaluation = gauge(
    'nines_evaluation_last_success_timestamp_seconds',
    'When an SLO was last evaluated with an answer of its source, in seconds since the Unix epoch.',
  )
  lastEvaluation.remove({}) // otherwise 0 (1970) until the first evaluation
  const deliveries = counter(
    'nines_deliveries_total',
    'Attempts to deliver a notification: delivered, sent, retry (again later), or failed.',
    'channel_type',
    'outcome',
  )
  const collections = counter(
    'nines_collections_total',
    'Scrapes of targets and runs of probes: ok, or failed.',
    'kind',
    'outcome',
  )
  for (const kind of ['target', 'probe']) for (const outcome of ['ok', 'failed']) collections.inc({ kind, outcome }, 0)
  const remoteWritten = counter(
    'nines_remote_write_samples_total',
    'Samples sent to REMOTE_WRITE_URL: sent, or dropped because the receiver refused them.',
    'outcome',
  )
  for (const outcome of ['sent', 'dropped']) remoteWritten.inc({ outcome }, 0)
  const remoteWritePending = gauge(
    'nines_remote_write_pending_samples',
    'Samples that are to be sent to REMOTE_WRITE_URL.',
  )
  const lastRemoteWrite = gauge(
    'nines_remote_write_last_success_timestamp_seconds',
    'When REMOTE_WRITE_URL last accepted samples, in seconds since the Unix epoch.',
  )
  lastRemoteWrite.remove({}) // otherwise 0 (1970) until the first one
  const refusals = counter('nines_quota_refusals_total', 'What was refused for a quota of an organization.', 'quota')
  for (const quota of quotas) refusals.inc({ quota }, 0)
  const lagSeconds = histogram(
    'nines_event_loop_lag_seconds',
    'By how much a timer every 100 ms was late: how long whatever else nines did held up all the rest.',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  gauge('nines_build_info', 'What is running; always 1.', 'version', 'bun').set({ version, bun: Bun.version }, 1)
  const sourceLabel = boundedLabel(maxSources)

  return {
    /** `path` is the route template (`/slos/:id`), or `unmatched` if there is no route or a rate limit refuses the request: never the raw path, which has no bound. */
    requestDone(method: string, path: string, status: number, seconds: number): void {
      const name = knownMethods.has(method) ? method : 'other'
      tally.done(name, path, status, seconds)
    },
    cacheRead: (answer: 'hits' | 'misses') => cacheReads[answer].forEach((one) => one.inc()),
    /** `seconds`: how long the source took; null if it was not queried, for want of a free slot. */
    sourceQueried(sourceId: number, outcome: SourceOutcome, seconds: number | null): void {
      if (sourceId === 0) return // a source that is tested before it is stored
      const source_id = sourceLabel(String(sourceId))
      sourceRequests.inc({ source_id, outcome })
      if (seconds !== null) sourceSeconds.observe({ source_id }, seconds)
    },
    /** Records SLOs that were evaluated together, and how long that took. */
    evaluated(chunk: readonly Evaluated[], seconds: number): void {
      for (const { isFailed, current, evaluatedAtMs } of chunk) {
        evaluations.inc({ outcome: isFailed ? 'failed' : current === null ? 'unknown' : 'measured' })
        if (!isFailed) lastEvaluation.set(evaluatedAtMs / 1000)
      }
      chunkSeconds.observe(seconds)
    },
    delivered: (channel_type: string, outcome: string) => deliveries.inc({ channel_type, outcome }),
    /** Counts a scrape or a run of a probe. */
    collected: (kind: 'target' | 'probe', ok: boolean) => collections.inc({ kind, outcome: ok ? 'ok' : 'failed' }),
    /** Counts samples that a receiver accepted, or that were dropped because it refused them. */
    remoteWritten(outcome: 'sent' | 'dropped', samples: number, nowMs: number): void {
      remoteWritten.inc({ outcome }, samples)
      if (outcome === 'sent') lastRemoteWrite.set(nowMs / 1000)
    },
    remoteWritePending: (samples: number) => remoteWritePending.set(samples),
    /** Counts a refusal because an organization would exceed a quota. */
    quotaRefused: (quota: string) => refusals.inc({ quota }),
    socketOpened(): void {
      sockets.inc()
      openSockets.inc()
    },
    socketClosed: () => openSockets.dec(),
    /** Measures how late timers fire, from now on until the process ends. */
    watchEventLoop(): void {
      let due = stopwatch.now() + lagTimerMs
      const timer = setInterval(() => {
        lagSeconds.observe(Math.max(0, stopwatch.now() - due) / 1000)
        due = stopwatch.now() + lagTimerMs
      }, lagTimerMs)
      timer.unref()
    },
    /** The text exposition format 0.0.4. `sources` selects the per-source series, since sources belong to organizations. */
    async exposition({ sources }: { sources: 'all' | number[] } = { sources: 'all' }): Promise<string> {
      if (sources === 'all') return registry.metrics()
      const names = registry.getMetricsAsArray().map(({ name }) => name)
      const texts = await Promise.all(
        names.map(async (name) => {
          const text = await registry.getSingleMetricAsString(name)
          return sourceMetrics.has(name) ? onlyOf(sources, text) : text
        }),
      )
      return `${texts.filter((text) => text !== '').join('\n\n')}\n`
    },
  }
}

/** A metric with only the samples of these sources; empty if there are none. */
function onlyOf(sources: number[], text: string): string {
  const labels = sources.map((id) => `source_id="${id}"`)
  const lines = text.split('\n').filter((line) => line.startsWith('#') || labels.some((label) => line.includes(label)))
  return lines.every((line) => line.startsWith('#')) ? '' : lines.join('\n')
}

/** Passes the first `max` distinct values; any further value becomes `other`. */
function boundedLabel(max: number): (value: string) => string {
  const names = new Set<string>()
  return (value) => {
    if (names.size < max) names.add(value)
    return names.has(value) ? value : 'other'
  }
}
