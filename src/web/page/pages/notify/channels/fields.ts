import { type FieldSchema, isApplicable } from '../../../../../notifications/channels/schemas/schema.ts'
import { withScheme } from '../../../ui/form/with-scheme.ts'

/** Key of a configuration that has an input in the form; `isMore`: under "More". */
export type ChannelField = FieldSchema & { key: string; isMore?: boolean }

/** Texts of the fields, by key. */
export type Values = Readonly<Record<string, string>>

/** Masked values of stored secrets, by key. */
export type Stored = Readonly<Record<string, string>>

type Configuration = Readonly<Record<string, unknown>>
type Responder = { type?: unknown; name?: unknown; username?: unknown; id?: unknown }

/** True if the API masks the whole value, and the form keeps it unless it is replaced. */
export function isMasked({ isSecret, kind }: FieldSchema): boolean {
  return isSecret === true && kind !== 'headers'
}

/** True if the field is shown, given the other values. */
export function isShown(field: ChannelField, fields: readonly ChannelField[], values: Values): boolean {
  return isApplicable(field, (other) => {
    const text = values[other]?.trim() ?? ''
    const { kind, default: standard } = fields.find(({ key }) => key === other) ?? {}
    return text === '' ? standard : valueOf(kind, text)
  })
}

/** A stored configuration as the texts of a form. Secrets are empty in `values`, and masked in `stored`. */
export function valuesOf(
  fields: readonly ChannelField[],
  configuration: Configuration,
): { values: Values; stored: Stored } {
  const values: Record<string, string> = {}
  const stored: Record<string, string> = {}
  for (const field of fields) {
    const { key } = field
    const value = configuration[key]
    if (value === undefined || value === null) continue
    if (isMasked(field)) stored[key] = String(value)
    else values[key] = inputText(value)
  }
  return { values, stored }
}

function inputText(value: unknown): string {
  if (!Array.isArray(value)) {
    if (typeof value !== 'object' || value === null) return String(value)
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n')
  }
  if (value.every((one) => typeof one !== 'object')) return value.join(', ')
  return value.map(({ type, name, username, id }: Responder) => `${type} ${name ?? username ?? `id:${id}`}`).join('\n')
}

/**
 * Configuration for the API: visible fields that are filled in, unchanged secrets in masked form, and the keys of `previous` that
 * have no field.
 */
export function configurationOf(
  fields: readonly ChannelField[],
  { values, stored, previous = {} }: { values: Values; stored: Stored; previous?: Configuration },
): Record<string, unknown> {
  const keys = new Set(fields.map(({ key }) => key))
  const others = Object.entries(previous).filter(([key]) => !keys.has(key))
  const own = fields.flatMap((field): [string, unknown][] => {
    const { key, kind } = field
    if (!isShown(field, fields, values)) return []
    const text = isMasked(field) ? (values[key] ?? '') : (values[key] ?? '').trim()
    if (text === '') return isMasked(field) && stored[key] !== undefined ? [[key, stored[key]]] : []
    return [[key, valueOf(kind, text)]]
  })
  return Object.fromEntries([...others, ...own])
}

/** Value for the API. A text that is not the number it should be is sent unchanged, for the API to refuse. */
function valueOf(kind: FieldSchema['kind'], text: string): unknown {
  if (kind === 'headers') return headersIn(text)
  if (kind === 'list') return listIn(text)
  if (kind === 'responders') return respondersIn(text)
  if (kind === 'flag') return text === 'true' ? true : text
  if ((kind === 'url' || kind === 'base_url') && /[.:/]/.test(text)) return withScheme(text)
  return kind === 'number' && /^\d+$/.test(text) ? Number(text) : text
}

function listIn(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Headers from lines. A line without a colon gives a name without a value, which the API refuses by that name. */
function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(
    linesIn(text).map((line) => {
      const at = line.indexOf(':')
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function respondersIn(text: string): Responder[] {
  return linesIn(text).map((line) => {
    const [type = '', ...rest] = line.split(/\s+/)
    const name = rest.join(' ')
    if (name.startsWith('id:')) return { type, id: name.slice(3) }
    return type === 'user' ? { type, username: name } : { type, name }
  })
}
