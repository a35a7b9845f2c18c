/** What a form has for one key of a configuration. */
export type ChannelField = {
  key: string
  label: string
  hint?: string
  placeholder?: string
  /**
   * `secret`: shown masked by the API, and kept unless it is replaced; `headers`: lines of `Name: value`; `list`: separated by
   * commas; `responders`: lines of a type and a name; a choice of `true` is a flag.
   */
  kind?: 'text' | 'number' | 'secret' | 'choice' | 'list' | 'headers' | 'responders'
  /** Of a choice; the first is what is meant where nothing is chosen. */
  choices?: readonly (readonly [value: string, label: string])[]
  isOptional?: boolean
  /** Whether it is only needed now and then: it stands under "More". */
  isMore?: boolean
  /** Whether it is asked for, with the other values as they are. */
  when?: (values: Values) => boolean
}

/** The texts of the fields by their keys. */
export type Values = Readonly<Record<string, string>>

/** What the API keeps and shows masked, by key. */
export type Stored = Readonly<Record<string, string>>

type Configuration = Readonly<Record<string, unknown>>
type Responder = { type?: unknown; name?: unknown; username?: unknown; id?: unknown }

/** A stored configuration as the texts of a form; secrets are empty there, and beside them as the API masks them. */
export function valuesOf(
  fields: readonly ChannelField[],
  configuration: Configuration,
): { values: Values; stored: Stored } {
  const values: Record<string, string> = {}
  const stored: Record<string, string> = {}
  for (const { key, kind } of fields) {
    const value = configuration[key]
    if (value === undefined || value === null) continue
    if (kind === 'secret') stored[key] = String(value)
    else values[key] = textOf(value)
  }
  return { values, stored }
}

function textOf(value: unknown): string {
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
 * What a form is sent as: the fields that are asked for and filled in, secrets that are not replaced as the API masks them, and
 * what of `before` no field stands for.
 */
export function configurationOf(
  fields: readonly ChannelField[],
  { values, stored, before = {} }: { values: Values; stored: Stored; before?: Configuration },
): Record<string, unknown> {
  const keys = new Set(fields.map(({ key }) => key))
  const others = Object.entries(before).filter(([key]) => !keys.has(key))
  const own = fields.flatMap(({ key, kind, when }): [string, unknown][] => {
    if (when?.(values) === false) return []
    const text = kind === 'secret' ? (values[key] ?? '') : (values[key] ?? '').trim()
    if (text === '') return kind === 'secret' && stored[key] !== undefined ? [[key, stored[key]]] : []
    return [[key, valueOf(kind, text)]]
  })
  return Object.fromEntries([...others, ...own])
}

/** What is no number is sent as it is, for the API to refuse it. */
function valueOf(kind: ChannelField['kind'], text: string): unknown {
  if (kind === 'headers') return headersIn(text)
  if (kind === 'list') return listIn(text)
  if (kind === 'responders') return respondersIn(text)
  if (kind === 'choice' && text === 'true') return true
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

/** A line without a colon is a name without a value, which the API refuses by that name. */
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
