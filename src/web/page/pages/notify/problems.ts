import { ApiError } from '../../api/client.ts'
import { problemsOf, sentenceOf } from '../../api/problems.ts'
import { byField } from './by-field.ts'

/** What the server says against the fields of a form; under the empty name what belongs to none of them. */
export function problemsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const said = error instanceof ApiError ? problemsOf(error) : []
  return said.length === 0 ? { '': sentenceOf(error) } : byField(said, fields)
}
