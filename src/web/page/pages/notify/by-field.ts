import { asSentence } from '../../format.ts'

/**
 * Groups problems by form field: `configuration.headers.X-Team` belongs to `configuration.headers`. Problems of no field are
 * under the empty name. Only the first problem of a field is kept.
 */
export function byField(
  problems: readonly { field: string; message: string }[],
  fields: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { field, message } of problems) {
    const at = fields.find((one) => field === one || field.startsWith(`${one}.`))
    const rest = at === undefined ? field : field.slice(at.length + 1)
    found[at ?? ''] ??= asSentence(rest === '' ? message : `${rest} ${message}`)
  }
  return found
}
