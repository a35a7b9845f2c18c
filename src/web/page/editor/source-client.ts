import type { PrometheusClient } from '@prometheus-io/codemirror-promql'
import { labelMatchersToString } from '@prometheus-io/codemirror-promql/dist/esm/parser'
import { send } from '../api/client.ts'
import { me } from '../api/session.ts'
import { now } from '../clock.ts'

type Asked = {
  answer: Promise<unknown>
  untilMs: number
  abort: AbortController
  /** Who waits for it; null once it has been answered. */
  waiting: Set<object> | null
}

const keptForMs = 5 * 60_000
const failureKeptForMs = 30_000
const maxKept = 200
const lookbackSeconds = 24 * 3600

/** How many texts a completion is made of at most. */
const [maxMetrics, maxLabels, maxValues] = [20_000, 1000, 1000]

/** One for all editors of the page. */
const asked = new Map<string, Asked>()

/**
 * Where the completion finds what a source has had in the last day, by the API that nines has for each source; nothing where
 * no source is known. What cannot be read completes nothing. `destroy` aborts what nobody else waits for.
 */
export function sourceClient(sourceId: number | null): Required<PrometheusClient> {
  const user = {}
  const read = async <T>(path: string, parameters: Record<string, string>, nothing: T): Promise<T> => {
    if (sourceId === null) return nothing
    const data = await readOnce(`/tsdb/sources/${sourceId}/prometheus/api/v1/${path}`, parameters, user)
    return (data as T | undefined) ?? nothing
  }
  const matching = (selector = '') => (selector === '' ? {} : { 'match[]': selector })
  const labelValues: PrometheusClient['labelValues'] = (label, metric = '', matchers) => {
    const selector = metric === '' ? '' : labelMatchersToString(metric, matchers, label)
    const limit = String(label === '__name__' ? maxMetrics : maxValues)
    return read<string[]>(`label/${encodeURIComponent(label)}/values`, { ...matching(selector), limit }, [])
  }
  return {
    labelNames: (metric) => read<string[]>('labels', { ...matching(metric), limit: String(maxLabels) }, []),
    labelValues,
    metricNames: () => labelValues('__name__'),
    metricMetadata: () => read('metadata', { limit: String(maxMetrics) }, {}),
    series: () => Promise.resolve([]),
    flags: () => Promise.resolve({}),
    destroy() {
      for (const [key, { abort, waiting }] of asked) {
        if (!waiting?.delete(user) || waiting.size > 0) continue
        abort.abort()
        asked.delete(key)
      }
    },
  }
}

/** The `data` of an answer, undefined where there is none; requested by the first who asks. */
function readOnce(path: string, parameters: Record<string, string>, user: object): Promise<unknown> {
  const key = `${me.peek()?.id} ${path}?${new URLSearchParams(parameters)}`
  const known = asked.get(key)
  if (known && known.untilMs > now()) {
    known.waiting?.add(user)
    return known.answer
  }
  const abort = new AbortController()
  const one: Asked = { answer: Promise.resolve(), untilMs: Infinity, abort, waiting: new Set([user]) }
  const ended = (forMs: number) => Object.assign(one, { untilMs: now() + forMs, waiting: null })
  const query = new URLSearchParams({ ...parameters, start: String(Math.floor(now() / 1000) - lookbackSeconds) })
  one.answer = send<{ data?: unknown }>('GET', `${path}?${query}`, { signal: abort.signal }).then(
    ({ data }) => {
      ended(keptForMs)
      return data
    },
    () => void ended(failureKeptForMs),
  )
  asked.delete(key)
  asked.set(key, one)
  for (const [oldest, { waiting }] of asked) {
    if (asked.size <= maxKept) break
    if (waiting === null) asked.delete(oldest)
  }
  return one.answer
}
