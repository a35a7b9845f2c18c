import type { AppError } from '../../src/errors.ts'
import type { RangeSeries, Source } from '../../src/sources/source.ts'

/** What an expression is worth at the end of each step; null: nothing. */
type Values = (number | null)[]

/** A source that has been asked, and what it was asked. */
export type ScriptedSource = Source & { asked: string[] }

/**
 * A source that answers range questions by what they contain, the first that fits, from the first point asked for on;
 * nothing for all others.
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
      return { data, warnings: [], infos: [], partial: false, durationMs: 0 }
    },
  }
}
