import { isoTime } from '../clock.ts'
import { AppError, invalid } from '../errors.ts'
import { fillPlaceholders } from '../promql/analysis/placeholders.ts'
import { type Window, windowSeconds } from '../slos/arithmetic/windows.ts'
import type { InstantData, Source, VectorSample } from '../sources/source.ts'
import { getUsableSource, openRow } from '../sources/store.ts'
import { type CachedDeps, type CachedQuery, cachedEnd, getOrCompute, keyPartsOf } from './query-cache.ts'
import { isLargeResult } from './large-result.ts'
import { isQueryResult, type QueryResult } from './model.ts'

type Deps = Omit<CachedDeps, 'planner' | 'executions'>

type AdHocQuery = {
  /** 0: the query belongs to no SLO. */
  sloId: number
  sourceId: number | null
  query: string
  window: Window
  /** Null: one instant at the end of the window. */
  stepSeconds: number | null
  extendTime?: string | undefined
}

/** Runs an ad-hoc query, or returns a cached answer of the same step; throws the errors of `runQuery`. */
export async function runAdHocQuery(deps: Deps, organizationId: number, query: AdHocQuery): Promise<QueryResult> {
  const { value, isCached } = await getOrCompute(deps, await adHocQuery(deps, organizationId, query))
  return { ...value, metadata: { ...value.metadata, cached: isCached } }
}

/** Cached query for a query that came in a request. */
export async function adHocQuery(
  deps: Deps,
  organizationId: number,
  { sloId, sourceId, query, window, stepSeconds, extendTime }: AdHocQuery,
): Promise<CachedQuery<QueryResult>> {
  const { db, clock } = deps
  const row = await getUsableSource(db.read, organizationId, sourceId)
  const seconds = windowSeconds(window)
  const { endSeconds, holdsMs } = cachedEnd({ extendTime, windowSeconds: seconds, expressions: [query] }, clock.now())
  return {
    organizationId,
    sloId,
    window,
    query,
    keyParts: ['query', keyPartsOf(row), window, stepSeconds, endSeconds],
    holdsMs,
    isValue: isQueryResult,
    async compute() {
      const grid = { startSeconds: endSeconds - seconds, endSeconds, stepSeconds }
      const { resultType, result, warnings, partial: isPartial } = await runQuery(openRow(deps, row), query, grid)
      const value = {
        query_result: { result_type: resultType, result },
        status: 'success',
        metadata: {
          time_range: window,
          start_time: isoTime(grid.startSeconds * 1000),
          end_time: isoTime(endSeconds * 1000),
          step_seconds: stepSeconds,
          source_name: row.name,
          partial: isPartial,
          cached: false,
        },
        warnings,
        queried_at: isoTime(clock.now()),
      }
      // data of the past may come late: an empty answer is not stored for ever
      const mayBeLate = holdsMs === null && result.length === 0
      return { value, isPartial, isCacheable: !isPartial && !mayBeLate && !isLargeResult(result) }
    },
  }
}

/** Common shape of all result types; `value` of a range is its newest point. */
type ResultSeries = VectorSample & { values?: [number, string][]; histograms?: unknown[] }

const maxPoints = 11_000

/** Runs a range query, or without a step an instant query at the end; throws `invalid` if the source rejects it. */
async function runQuery(
  source: Source,
  query: string,
  { startSeconds, endSeconds, stepSeconds }: { startSeconds: number; endSeconds: number; stepSeconds: number | null },
): Promise<{ resultType: string; result: ResultSeries[]; warnings: string[]; partial: boolean }> {
  const windowSeconds = endSeconds - startSeconds
  const expression = fillPlaceholders(query, windowSeconds)
  try {
    if (stepSeconds === null) {
      const { data, warnings, isPartial } = await source.instant(expression, endSeconds)
      return { resultType: data.resultType, result: presentInstant(data), warnings, partial: isPartial }
    }
    if (windowSeconds / stepSeconds > maxPoints)
      throw invalid('step', `must give at most ${maxPoints} points in time_range`)
    const { data, warnings, isPartial } = await source.range(expression, { startSeconds, endSeconds, stepSeconds })
    return { resultType: 'matrix', result: data.map(withNewest), warnings, partial: isPartial }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'source_refused') throw error
    throw new AppError('invalid', error.message, {
      problems: [{ field: 'query', message: error.details ?? 'refused', code: 'query_refused' }],
      cause: error,
    })
  }
}

function presentInstant(data: InstantData): ResultSeries[] {
  if (data.resultType === 'vector') return data.result
  if (data.resultType === 'matrix') return data.result.map(withNewest)
  return [{ metric: {}, value: data.result }]
}

function withNewest<T extends { values: [number, string][] }>(series: T): T & { value?: [number, string] } {
  const newest = series.values.at(-1)
  return newest ? { ...series, value: newest } : series
}
