import { AppError, invalid } from '../errors.ts'
import { fillPlaceholders } from '../promql/analysis/placeholders.ts'
import type { InstantData, Source, VectorSample } from '../sources/source.ts'

type Wanted = { query: string; windowSeconds: number; endSeconds: number; stepSeconds: number | null }

/** One shape for every kind of answer; `value` of a range is its newest point. */
type Shown = VectorSample & { values?: [number, string][]; histograms?: unknown[] }
export type AdHocResult = { resultType: string; result: Shown[]; warnings: string[]; partial: boolean }

const maxPoints = 11_000

/** Runs a query that came in a request: a range with a step, else one instant at the end of the window. */
export async function runQuery(
  source: Source,
  { query, windowSeconds, endSeconds, stepSeconds }: Wanted,
): Promise<AdHocResult> {
  const expression = fillPlaceholders(query, windowSeconds)
  try {
    if (stepSeconds === null) {
      const { data, warnings, partial } = await source.instant(expression, endSeconds)
      return { resultType: data.resultType, result: shownInstant(data), warnings, partial }
    }
    if (windowSeconds / stepSeconds > maxPoints)
      throw invalid('step', `must be at most ${maxPoints} points in time_range`)
    const grid = { startSeconds: endSeconds - windowSeconds, endSeconds, stepSeconds }
    const { data, warnings, partial } = await source.range(expression, grid)
    return { resultType: 'matrix', result: data.map(withNewest), warnings, partial }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'source_refused') throw error
    throw new AppError('invalid', error.message, {
      problems: [{ field: 'query', message: error.details ?? 'refused' }],
      cause: error,
    })
  }
}

function shownInstant(data: InstantData): Shown[] {
  if (data.resultType === 'vector') return data.result
  if (data.resultType === 'matrix') return data.result.map(withNewest)
  return [{ metric: {}, value: data.result }]
}

function withNewest<T extends { values: [number, string][] }>(series: T): T & { value?: [number, string] } {
  const newest = series.values.at(-1)
  return newest ? { ...series, value: newest } : series
}
