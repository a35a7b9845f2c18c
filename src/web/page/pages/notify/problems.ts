import { ApiError } from '../../api/client.ts'
import { problemsOf, sentenceOf } from '../../api/problems.ts'
import { byField } from './by-field.ts'

/** Problems that the server reports, by form field; problems of no field are under the empty name. */
export function problemsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const said = error instanceof ApiError ? problemsOf(error) : []
  return said.length === 0 ? { '': sentenceOf(error) } : byField(said, fields)
}
