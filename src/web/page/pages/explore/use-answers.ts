import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError, send } from '../../api/client.ts'
import { now } from '../../clock.ts'
import type { Answered } from './answer.ts'
import type { Span } from '../../address/time-text.ts'

/** Query to a source over a range, or at its end for a table. */
export type SourceQuery = { source: number; text: string; span: Span; view: 'graph' | 'table' }

/** State of a query; `tookMs`: time until its answer was read. */
export type Outcome =
  | { state: 'running' }
  | { state: 'cancelled' }
  | { state: 'answered'; answered: Answered; tookMs: number }
  | { state: 'failed'; error: ApiError }

/**
 * Sends each query once, and aborts requests that are no longer needed. A changed `runNumber` sends all queries again. `cancel`
 * aborts the running requests.
 */
export function useAnswers(sourceQueries: readonly SourceQuery[], runNumber: number) {
  const outcomes = useSignal<ReadonlyMap<string, Outcome>>(new Map())
  const running = useRef(new Map<string, AbortController>())
  const keys = new Map(sourceQueries.map((one) => [keyOf(one, runNumber), one]))
  const latest = useRef(keys)
  latest.current = keys
  const set = (key: string, outcome: Outcome) => {
    if (latest.current.has(key)) outcomes.value = new Map(outcomes.peek()).set(key, outcome)
  }

  const sendQuery = async (key: string, sourceQuery: SourceQuery) => {
    const abort = new AbortController()
    running.current.set(key, abort)
    set(key, { state: 'running' })
    const beganMs = now()
    try {
      const answered = await fetchAnswer(sourceQuery, abort.signal)
      set(key, { state: 'answered', answered, tookMs: now() - beganMs })
    } catch (error) {
      if (abort.signal.aborted) set(key, { state: 'cancelled' })
      else set(key, { state: 'failed', error: asApiError(error) })
    } finally {
      running.current.delete(key)
    }
  }

  useEffect(() => {
    for (const [key, abort] of running.current) if (!keys.has(key)) abort.abort()
    const known = outcomes.peek()
    outcomes.value = new Map([...known].filter(([key]) => keys.has(key)))
    for (const [key, sourceQuery] of keys) if (!known.has(key)) void sendQuery(key, sourceQuery)
  }, [[...keys.keys()].join('\n')])
  useEffect(() => () => running.current.forEach((abort) => abort.abort()), [])

  return {
    of: (sourceQuery: SourceQuery): Outcome => outcomes.value.get(keyOf(sourceQuery, runNumber)) ?? notYet,
    isRunning: [...outcomes.value.values()].some(({ state }) => state === 'running'),
    cancel: () => running.current.forEach((abort) => abort.abort()),
  }
}

const notYet: Outcome = { state: 'running' }

function keyOf({ source, text, span, view }: SourceQuery, runNumber: number): string {
  return JSON.stringify([runNumber, source, text, span, view])
}

function fetchAnswer({ source, text, span, view }: SourceQuery, signal: AbortSignal): Promise<Answered> {
  const at: Record<string, string> =
    view === 'table'
      ? { time: String(span.toSeconds) }
      : { start: String(span.fromSeconds), end: String(span.toSeconds), step: String(span.stepSeconds) }
  const path = `/tsdb/sources/${source}/prometheus/api/v1/${view === 'table' ? 'query' : 'query_range'}`
  return send<Answered>('POST', path, { body: new URLSearchParams({ query: text, ...at }), signal })
}
