import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { CalculationWindow } from '../slos/arithmetic/windows.ts'
import { askRange } from './range.ts'
import type { InstantData, RangeSeries, Source } from './source.ts'

/** What a question of a calculation is for; `query`: a stored source query's. */
export type Part = 'sli' | 'counted' | 'total' | 'coverage' | 'as_stored' | 'query' | 'probe'

/** One question put to a source, and what came of it. */
export type Asked = {
  part: Part
  /** The window that the calculation is over. */
  timeRange: CalculationWindow
  expression: string
  /** The points asked for; of an instant query one. */
  points: Points
  atMs: number
  durationMs: number
  samples: number
  error: string | null
}

export type Grid = { startSeconds: number; endSeconds: number; stepSeconds: number }

/** `stepSeconds` null: the one at the end. */
export type Points = Omit<Grid, 'stepSeconds'> & { stepSeconds: number | null }

/** Asks on behalf of one calculation: one deadline for all of it, and a record of every question, failed ones too. */
export type Asker = {
  instant(part: Part, expression: string, atSeconds: number): Promise<InstantData>
  range(part: Part, expression: string, grid: Grid): Promise<RangeSeries[]>
}

/** What an asker has heard so far. `partial`: an answer lacked some of the source's stores. */
export type Heard = { asked: Asked[]; warnings: Set<string>; partial: boolean }

type Deps = { source: Source; clock: Clock; heard: Heard; startedMs: number; timeRange: CalculationWindow }

export function createAsker({ source, clock, heard, startedMs, timeRange }: Deps): Asker {
  const record = async <T>(
    part: Part,
    expression: string,
    points: Points,
    put: () => Promise<{ data: T; warnings: string[]; partial: boolean }>,
    count: (data: T) => number,
  ): Promise<T> => {
    const outcome = { durationMs: 0, samples: 0, error: null }
    const question: Asked = { part, timeRange, expression, points, atMs: clock.now(), ...outcome }
    heard.asked.push(question)
    const began = performance.now()
    try {
      const { data, warnings, partial } = await put()
      for (const warning of warnings) heard.warnings.add(warning)
      heard.partial ||= partial
      question.samples = count(data)
      return data
    } catch (error) {
      question.error =
        error instanceof AppError ? [error.message, error.details].filter(Boolean).join(': ') : 'internal'
      throw error
    } finally {
      question.durationMs = Math.round(performance.now() - began)
    }
  }
  const elapsedMs = () => performance.now() - startedMs

  return {
    instant(part, expression, atSeconds) {
      const points = { startSeconds: atSeconds, endSeconds: atSeconds, stepSeconds: null }
      const put = () => source.instant(expression, atSeconds, { elapsedMs: elapsedMs() })
      return record(part, expression, points, put, countInstant)
    },
    range(part, expression, grid) {
      const put = () => askRange(source, expression, grid, { elapsedMs: elapsedMs() })
      return record(part, expression, grid, put, countRange)
    },
  }
}

/** All of them, once all have ended; throws the first failure only then, so that none goes unrecorded. */
export async function settle<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

function countInstant(data: InstantData): number {
  return data.resultType === 'scalar' || data.resultType === 'string' ? 1 : data.result.length
}

function countRange(series: RangeSeries[]): number {
  return series.reduce((count, { values }) => count + values.length, 0)
}
