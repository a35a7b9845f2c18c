import { ApiError } from '../../api/client.ts'
import { sentenceOf } from '../../api/problems.ts'
import { byField } from './by-field.ts'

/** Problems that the server reports, by form field, whichever of the settings of a form they are in; problems of no field are under the empty name. */
export function problemsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const said = error instanceof ApiError ? error.problems : []
  const placed = said.map(({ field, message }) => ({ field: field.replace(/^settings\.\d+\./, ''), message }))
  return said.length === 0 ? { '': sentenceOf(error) } : byField(placed, fields)
}
