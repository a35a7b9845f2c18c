import type { AppError } from '../../src/errors.ts'
import type { RangeSeries, Source } from '../../src/sources/source.ts'

/** Values of an expression at the end of each step; null: no sample. */
type Values = (number | null)[]

/** A source that records its queries in `asked`. */
export type ScriptedSource = Source & { asked: string[] }

/**
 * A source that answers range queries by the first script entry whose text they contain. Values start at the first point of the
 * range. All other queries get an empty result.
 */
export function scriptedSource(script: [contains: string, values: Values | AppError][]): ScriptedSource {
  const asked: string[] = []
  return {
    name: 'scripted',
    asked,
    instant: () => Promise.reject(new Error('must be a range')),
    async range(expression, { startSeconds, stepSeconds }) {
      asked.push(expression)
      const [, values = []] = script.find(([contains]) => expression.includes(contains)) ?? []
      if (!Array.isArray(values)) throw values
      const points = values.flatMap((value, at): [number, string][] =>
        value === null ? [] : [[startSeconds + at * stepSeconds, String(value)]],
      )
      const data: RangeSeries[] = points.length > 0 ? [{ metric: {}, values: points }] : []
      return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
    },
  }
}
