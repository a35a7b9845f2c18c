import { ApiError } from '../../api/client.ts'
import { asSentence, problemsOf, sentenceOf } from '../../api/problems.ts'

/**
 * What the server says against the fields of a form, by the field it begins with: `configuration.headers.X-Team` belongs to
 * `configuration.headers`. Under the empty name: what belongs to none of them.
 */
export function problemsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const said = error instanceof ApiError ? problemsOf(error) : []
  if (said.length === 0) return { '': sentenceOf(error) }
  const found: Record<string, string> = {}
  for (const { field, message } of said) {
    const at = fields.find((one) => field === one || field.startsWith(`${one}.`))
    const rest = at === undefined ? field : field.slice(at.length + 1)
    const text = rest === '' ? message : `${rest} ${message}`
    found[at ?? ''] ??= asSentence(text)
  }
  return found
}
