import type { QueryRunner } from '../sources/query-session.ts'
import type { Definition } from '../slos/definition.ts'
import { type PreviewProblem, selectorsOf, valuesOf } from './selectors.ts'

const maxLookedAt = 2
const plainText = /^\^?[\w-]+\$?(?:\|\^?[\w-]+\$?)*$/

/**
 * Finds a matcher such as `code!~"5"`, which excludes nothing where the values are `200` and `503`: a regular expression matches
 * whole values. Only plain texts are looked at, as parts of the values that the label has. Null if there is none, or if the
 * source does not answer.
 */
export async function findPartOfValues(
  runner: QueryRunner,
  definition: Definition,
  { windowSeconds, endSeconds }: { windowSeconds: number; endSeconds: number },
): Promise<PreviewProblem | null> {
  const lookup = { runner, atSeconds: endSeconds, lookback: windowSeconds < 86_400 ? '1h' : '24h' }
  const suspects = selectorsOf(definition).flatMap(({ field, name: metric, matchers }) =>
    metric === ''
      ? []
      : matchers
          .filter(({ operator, value }) => operator === '!~' && plainText.test(value))
          .map((matcher) => ({ field, metric, matcher })),
  )
  for (const { field, metric, matcher } of suspects.slice(0, maxLookedAt)) {
    const { text, label, name, operator, value } = matcher
    const series = `count_over_time({__name__=${JSON.stringify(metric)}}[${lookup.lookback}])`
    const values = (await valuesOf(lookup, `count by (${label}) (${series})`, name)) ?? []
    const texts = value.split('|').map((one) => one.replaceAll(/[\^$]/g, ''))
    if (values.some((one) => texts.includes(one))) continue
    if (!values.some((one) => texts.some((part) => isPart(part, one)))) continue
    // of values with three characters each, such as status codes, the rest are dots
    const pattern = texts.map((part) => (values.every((one) => one.length === 3) ? part.padEnd(3, '.') : `${part}.*`))
    return {
      field,
      code: 'part_of_values',
      params: { metric, matcher: text, label: name, operator, value, pattern: pattern.join('|') },
      message: `${text} excludes nothing: a regular expression matches whole values.`,
      hint: `Write ${label}!~"${pattern.join('|')}" for values that begin so.`,
    }
  }
  return null
}

/** True if a text begins a value, or if both are numbers and the value has more digits: `5` may stand for `503`. */
function isPart(text: string, value: string): boolean {
  return value.startsWith(text) || (/^\d+$/.test(text) && /^\d+$/.test(value) && value.length > text.length)
}
