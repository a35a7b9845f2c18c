import { send } from '../api/client.ts'
import { me } from '../api/session.ts'
import { now } from '../clock.ts'

type CachedRequest = {
  answer: Promise<unknown>
  untilMs: number
  abort: AbortController
  /** Readers that wait for the answer; null after the request has ended. */
  waitingReaders: Set<object> | null
}

/** Metadata of a metric, from its source. */
export type Metadata = { type: string; help: string }

const keptForMs = 5 * 60_000
const failureKeptForMs = 30_000
const maxKept = 200
const lookbackSeconds = 24 * 3600
/** Limit of metric names, and of metrics with metadata. */
const maxMetrics = 20_000

/** Requests of the whole page, by user, source, path and parameters. */
const requests = new Map<string, CachedRequest>()

/** Names of the metrics that a source had in the last day; empty if the source does not answer. */
export async function metricNames(sourceId: number, reader: object): Promise<string[]> {
  return (await readSource<string[]>(sourceId, 'label/__name__/values', { limit: String(maxMetrics) }, reader)) ?? []
}

/** Metadata of a source's metrics, by metric name; empty if the source does not answer. */
export async function metricMetadata(sourceId: number, reader: object): Promise<Record<string, Metadata[]>> {
  return (await readSource(sourceId, 'metadata', { limit: String(maxMetrics) }, reader)) ?? {}
}

/**
 * `data` of a response of a source's API about its last day; undefined if the request failed. Readers of the same data share one request;
 * `reader` is any object that identifies one for `stopReading`. An answer is kept for five minutes, a failure for 30 seconds, at most the
 * newest 200.
 */
export function readSource<T>(
  sourceId: number,
  path: string,
  parameters: Record<string, string>,
  reader: object,
): Promise<T | undefined> {
  const key = `${me.peek()?.id} ${sourceId} ${path}?${new URLSearchParams(parameters)}`
  const known = requests.get(key)
  if (known && known.untilMs > now()) {
    known.waitingReaders?.add(reader)
    return known.answer as Promise<T | undefined>
  }
  const abort = new AbortController()
  const one: CachedRequest = { answer: Promise.resolve(), untilMs: Infinity, abort, waitingReaders: new Set([reader]) }
  const keepFor = (forMs: number) => {
    one.untilMs = now() + forMs
    one.waitingReaders = null
  }
  const query = new URLSearchParams({ ...parameters, start: String(Math.floor(now() / 1000) - lookbackSeconds) })
  const address = `/tsdb/sources/${sourceId}/prometheus/api/v1/${path}?${query}`
  one.answer = send<{ data?: unknown }>('GET', address, { signal: abort.signal }).then(
    ({ data }) => {
      keepFor(keptForMs)
      return data
    },
    () => void keepFor(failureKeptForMs),
  )
  requests.delete(key)
  requests.set(key, one)
  for (const [oldest, { waitingReaders }] of requests) {
    if (requests.size <= maxKept) break
    if (waitingReaders === null) requests.delete(oldest)
  }
  return one.answer as Promise<T | undefined>
}

/** Aborts the requests for which only this reader waits. */
export function stopReading(reader: object): void {
  for (const [key, { abort, waitingReaders }] of requests) {
    if (!waitingReaders?.delete(reader) || waitingReaders.size > 0) continue
    abort.abort()
    requests.delete(key)
  }
}
