import { type Clock, isoTime, stopwatch } from '../clock.ts'
import type { NewExecution } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { maxRange } from '../promql/analysis/widen.ts'
import { usualWindows } from '../slos/arithmetic/window-names.ts'
import { type Window, windowName, windowSeconds } from '../slos/arithmetic/windows.ts'
import {
  type Answer,
  queryRange,
  countSamples,
  type Grid,
  type InstantData,
  type RangeSeries,
  sampleNumber,
  type Source,
} from './source.ts'

/**
 * Purpose of a query. `counted`, `total`: one side of a ratio; `sides`: both in one query; `as_stored`: the query of the SLO without
 * the window; `query`: a stored source query; `preview`: a part of a draft.
 */
export type QueryPart = 'sli' | 'sides' | 'counted' | 'total' | 'coverage' | 'as_stored' | 'query' | 'preview'

/** Query that was sent to a source, and its outcome. `grid.stepSeconds` null: an instant query at the end. */
export type SentQuery = {
  part: QueryPart
  /** Window of the calculation. */
  window: Window
  expression: string
  grid: Omit<Grid, 'stepSeconds'> & { stepSeconds: number | null }
  atMs: number
  durationMs: number
  samples: number
  error: string | null
}

/** Queries a source for one window of a calculation. */
export type QueryRunner = {
  instant(part: QueryPart, expression: string, atSeconds: number): Promise<InstantData>
  range(part: QueryPart, expression: string, grid: Grid): Promise<RangeSeries[]>
}

/**
 * Queries of one calculation. They share the timeout of a single query, and each is recorded, also if it fails. `isPartial`: an
 * answer was partial.
 */
type QuerySession = {
  sent: SentQuery[]
  warnings: Set<string>
  isPartial: boolean
  over(window: Window): QueryRunner
}

/** Begins a session: the shared timeout runs from now. */
export function createQuerySession({ source, clock }: { source: Source; clock: Clock }): QuerySession {
  const beganMs = stopwatch.now()
  const elapsedMs = () => stopwatch.now() - beganMs
  const session: QuerySession = { sent: [], warnings: new Set(), isPartial: false, over }

  async function record<T>(
    query: Pick<SentQuery, 'part' | 'window' | 'expression' | 'grid'>,
    answer: () => Promise<Answer<T>>,
    count: (data: T) => number,
  ): Promise<T> {
    const sentQuery: SentQuery = { ...query, atMs: clock.now(), durationMs: 0, samples: 0, error: null }
    session.sent.push(sentQuery)
    const sentMs = stopwatch.now()
    try {
      const { data, warnings, isPartial } = await answer()
      for (const warning of warnings) session.warnings.add(warning)
      session.isPartial ||= isPartial
      sentQuery.samples = count(data)
      return data
    } catch (error) {
      sentQuery.error =
        error instanceof AppError ? [error.message, error.details].filter(Boolean).join(': ') : 'internal'
      throw error
    } finally {
      sentQuery.durationMs = Math.round(stopwatch.now() - sentMs)
    }
  }

  function over(window: Window): QueryRunner {
    return {
      instant(part, expression, atSeconds) {
        const grid = { startSeconds: atSeconds, endSeconds: atSeconds, stepSeconds: null }
        const isShort = part === 'sides'
        const answer = () => source.instant(expression, atSeconds, { elapsedMs: elapsedMs(), isShort })
        return record({ part, window, expression, grid }, answer, countInstant)
      },
      range(part, expression, grid) {
        const answer = () => queryRange(source, expression, grid, { elapsedMs: elapsedMs() })
        return record({ part, window, expression, grid }, answer, countSamples)
      },
    }
  }

  return session
}

/** Results of all promises, once all have ended. Throws the first failure only then, so that every query is recorded. */
export async function allSettledOrThrow<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

/** Context of a query that was sent; `queryId`: its stored query, null if there is none. */
type Purpose = {
  organizationId: number
  sloId: number
  queryId: number | null
  sourceName: string
  method: string
  nowMs: number
}

/** Row that records a query and its outcome (an execution). */
export function executionOf(sent: SentQuery, purpose: Purpose) {
  return {
    organization_id: purpose.organizationId,
    slo_id: purpose.sloId,
    query_id: purpose.queryId,
    executed_at: sent.atMs,
    duration_ms: sent.durationMs,
    status: sent.error === null ? 'success' : 'error',
    error: sent.error,
    result_samples: sent.samples,
    metadata: JSON.stringify({
      ...rangeOf(sent),
      source_name: purpose.sourceName,
      part: sent.part,
      expression: sent.expression,
      window_method: sent.part === 'as_stored' ? 'as_stored' : purpose.method,
    }),
    created_at: purpose.nowMs,
  } satisfies NewExecution
}

/** Time range that a query read. For an instant query it is the longest range of the expression, whatever its window. */
function rangeOf({ window, expression, grid: { startSeconds, endSeconds, stepSeconds } }: SentQuery) {
  const targetSeconds = windowSeconds(window)
  const seconds = stepSeconds === null ? (maxRange(expression) ?? targetSeconds) : targetSeconds
  const from = stepSeconds === null ? endSeconds - seconds : startSeconds
  return {
    time_range: seconds === targetSeconds ? window : rangeName(seconds),
    start_time: isoTime(from * 1000),
    end_time: isoTime(endSeconds * 1000),
    step_seconds: stepSeconds,
  }
}

function rangeName(seconds: number): string {
  if (seconds === 0) return 'instant'
  const one = usualWindows.find((window) => windowSeconds(window) === seconds)
  return one ?? (seconds % 60 === 0 ? windowName(seconds) : `${seconds}s`)
}

/** Numbers of an instant answer; the table of docs/slo-math.md, "What may come back". NaN is no data. */
export type InstantReading =
  | { kind: 'numbers'; values: [number, ...number[]] } // one for each series that has a finite value
  | { kind: 'empty' }
  | { kind: 'not_a_number'; description: string }

/** Reads the numbers of an instant answer, one for each series. */
export function readInstantNumbers(data: InstantData): InstantReading {
  switch (data.resultType) {
    case 'scalar':
      return readValues([data.result[1]])
    case 'string':
      return { kind: 'not_a_number', description: 'a string' }
    case 'matrix':
      return { kind: 'not_a_number', description: 'a range of samples for each series' }
    case 'vector': {
      const values = data.result.flatMap(({ value }) => (value ? [value[1]] : []))
      if (values.length < data.result.length) return { kind: 'not_a_number', description: 'a native histogram' }
      return readValues(values)
    }
  }
}

/** Sum of a side of a ratio over all its series; `null` if it has no value. */
export function sumInstant(data: InstantData): number | null {
  const reading = readInstantNumbers(data)
  return reading.kind === 'numbers' ? sum(reading.values) : null
}

export function mean(values: readonly [number, ...number[]]): number {
  return sum(values) / values.length
}

/** Largest of any number of values; `Math.max(...values)` fails for very many. */
export function largest(values: readonly [number, ...number[]]): number {
  return values.reduce((max, value) => Math.max(max, value))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** True if there is at least one value; for the type checker. */
export function isFilled<T>(values: T[]): values is [T, ...T[]] {
  return values.length > 0
}

function readValues(texts: string[]): InstantReading {
  const values = texts.map(sampleNumber).filter((value) => !Number.isNaN(value))
  const infinite = values.find((value) => !Number.isFinite(value))
  if (infinite !== undefined) return { kind: 'not_a_number', description: infinite > 0 ? '+Inf' : '-Inf' }
  return isFilled(values) ? { kind: 'numbers', values } : { kind: 'empty' }
}

function countInstant(data: InstantData): number {
  return data.resultType === 'scalar' || data.resultType === 'string' ? 1 : data.result.length
}
