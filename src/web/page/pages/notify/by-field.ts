import { asSentence } from '../../format.ts'

/**
 * Problems by the field that each begins with: `configuration.headers.X-Team` belongs to `configuration.headers`. Under the
 * empty name: what belongs to none of them. The first of a field is kept.
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
