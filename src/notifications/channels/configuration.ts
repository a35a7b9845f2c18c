import { invalid, readAll } from '../../errors.ts'
import { isReservedHeader } from '../../http/headers/request-headers.ts'
import { isText } from '../../http/schemas.ts'
import type { ConfigurationInput } from './channel.ts'
import { type ChannelSchema, type FieldSchema, isApplicable } from './schemas/schema.ts'

/** Reads one key of a configuration; `undefined` if it is absent, null or empty. */
export type FieldReader<T> = (input: ConfigurationInput, key: string) => T | undefined

type Kind = NonNullable<FieldSchema['kind']>
type Values = { flag: true; number: number; list: string[]; headers: Record<string, string> }
type ValueOf<F extends FieldSchema> = F extends { kind: 'choice'; choices: infer C }
  ? keyof C & string
  : F extends { kind: infer K extends keyof Values }
    ? Values[K]
    : string
type OwnReaders = Readonly<Record<string, FieldReader<unknown>>>
type ReadValue<S extends ChannelSchema, O, K extends keyof S> = K extends keyof O
  ? O[K] extends FieldReader<infer T>
    ? T
    : never
  : ValueOf<S[K]>
/** Keys that every configuration has. */
type AlwaysIn<S extends ChannelSchema> = {
  [K in keyof S]: S[K] extends { when: object }
    ? never
    : S[K] extends { requirement: string } | { default: unknown }
      ? K
      : never
}[keyof S]

/** Configuration with the fields of a schema; `O`: readers of the fields that have their own. */
export type ConfigurationOf<S extends ChannelSchema, O = object> = {
  -readonly [K in AlwaysIn<S>]: ReadValue<S, O, K>
} & { -readonly [K in Exclude<keyof S, AlwaysIn<S>>]?: ReadValue<S, O, K> }

/**
 * Reads the fields of a schema in its order; other keys are left out. `ownReaders`: for fields whose kind is not enough. Throws
 * `invalid`, naming each key.
 */
export function readFields<const S extends ChannelSchema, O extends OwnReaders = Record<never, never>>(
  schema: S,
  input: ConfigurationInput,
  ownReaders?: O,
): ConfigurationOf<S, O> {
  const configuration: ConfigurationInput = {}
  const readField = (key: string, field: FieldSchema) => {
    const { requirement, when: { otherwise } = {} } = field
    const read = ownReaders?.[key] ?? readerOf[field.kind ?? 'text'](field)
    if (!isApplicable(field, (other) => configuration[other])) {
      if (otherwise !== undefined && read(input, key) !== undefined) throw invalidField(key, otherwise)
      return
    }
    const value = read(input, key) ?? field.default
    if (value === undefined && requirement !== undefined) throw invalidField(key, requirement)
    if (value !== undefined) configuration[key] = value
  }
  const wrong = new Set<string | undefined>()
  readAll(
    ...Object.entries(schema).map(([key, field]) => () => {
      if (wrong.has(field.when?.key)) return // the key that decides if the field applies is invalid
      wrong.add(key)
      readField(key, field) // if it throws, the key stays in `wrong`
      wrong.delete(key)
    }),
  )
  return configuration as ConfigurationOf<S, O> // its keys are only known at run time
}

/** Reads one line of at most `max` characters. */
export function singleLine(max = maxLine): FieldReader<string> {
  return (input, key) => {
    const value = input[key]
    if (isAbsent(value)) return undefined
    if (typeof value !== 'string' || !isText(value, { max })) {
      throw invalidField(key, `must be 1 to ${max} characters, no control characters`)
    }
    return value.trim()
  }
}

/** Reads a value of a choice. */
export function oneOf<T extends string>(choices: Readonly<Record<T, string>>): FieldReader<T> {
  const values = Object.keys(choices) as T[] // a schema lists them all
  return (input, key) => {
    if (isAbsent(input[key])) return undefined
    const match = values.find((value) => value === input[key])
    if (match === undefined) throw invalidField(key, `must be one of ${values.join(', ')}`)
    return match
  }
}

/** Reads a JSON boolean; `undefined` for false. */
export const flag: FieldReader<true> = (input, key) => {
  const value = input[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'boolean') throw invalidField(key, 'must be true or false')
  return value || undefined
}

/** Reads a whole number, a JSON number. */
export function wholeNumber(min: number, max: number): FieldReader<number> {
  return (input, key) => {
    const value = input[key]
    if (isAbsent(value)) return undefined
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw invalidField(key, `must be a whole number from ${min} to ${max}`)
    }
    return value
  }
}

/** Reads an http(s) URL without user name, password and fragment. */
export const httpUrl: FieldReader<string> = (input, key) => {
  const value = singleLine(2000)(input, key)
  if (value === undefined) return undefined
  const url = /^https?:\/\/[^\s#]+$/i.test(value) ? URL.parse(value) : null
  if (!url || url.username !== '' || url.password !== '') {
    throw invalidField(key, 'must be an http(s) URL without user name, password and fragment')
  }
  return value
}

/** Reads a base URL for the receiver's paths: an `httpUrl` without query string; trailing slashes are removed. */
export const baseUrl: FieldReader<string> = (input, key) => {
  const value = httpUrl(input, key)
  if (value?.includes('?')) throw invalidField(key, 'must be a URL without query string')
  return value?.replace(/\/+$/, '')
}

/** Entries of a list, of any JSON, `maxEntries` at most; `undefined` if it is absent or null. */
export function entriesOf(input: ConfigurationInput, key: string, { maxEntries }: FieldSchema): unknown[] | undefined {
  const value = input[key]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > (maxEntries ?? 0)) {
    throw invalidField(key, `must be a list of at most ${maxEntries} entries`)
  }
  return value
}

/** Reads a list of lines. */
function lines(field: FieldSchema): FieldReader<string[]> {
  const { max = maxLine } = field
  return (input, key) =>
    entriesOf(input, key, field)?.map((value, index) => {
      if (typeof value !== 'string' || !isText(value, { max })) {
        throw invalidField(`${key}.${index}`, `must be 1 to ${max} characters`)
      }
      return value.trim()
    })
}

/** Reads HTTP headers; those that nines sets itself are refused. */
export const headers: FieldReader<Record<string, string>> = (input, key) => {
  const value = input[key]
  if (isAbsent(value)) return undefined
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0 || entries.length > 50) throw invalidField(key, 'must be an object of 1 to 50 headers')
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) throw invalidField(key, 'must have each header once; capitals make no difference')
  const read = entries.map(([name, text]): [string, string] => {
    if (!headerName.test(name)) throw invalidField(key, 'must be header names of letters, digits and hyphens')
    if (isReservedHeader(name) || reserved.has(name.toLowerCase()))
      throw invalidField(key, `cannot have ${name}, which nines sets itself`)
    if (typeof text !== 'string' || !/^[\x20-\x7e]{1,4096}$/.test(text)) {
      throw invalidField(`${key}.${name}`, 'must be 1 to 4096 characters of printable ASCII')
    }
    return [name, text]
  })
  return Object.fromEntries(read)
}

/** Creates an `invalid` error for a key of a configuration. */
export function invalidField(key: string, message: string) {
  return invalid(`configuration.${key}`, message)
}

const readerOf: Readonly<Record<Kind, (field: FieldSchema) => FieldReader<unknown>>> = {
  text: matching,
  url: () => httpUrl,
  base_url: () => baseUrl,
  choice: ({ choices = {} }) => oneOf(choices),
  flag: () => flag,
  number: ({ range: [min, max] = [0, Number.MAX_SAFE_INTEGER] }) => wholeNumber(min, max),
  list: lines,
  headers: () => headers,
  responders: () => {
    throw new Error('responders are read by a reader of their own')
  },
}

/** Reads one line that matches the pattern of its field, if it has one. */
function matching({ max, pattern }: FieldSchema): FieldReader<string> {
  return (input, key) => {
    const value = singleLine(max)(input, key)
    if (value !== undefined && pattern && !pattern[0].test(value)) throw invalidField(key, pattern[1])
    return value
  }
}

const maxLine = 500
const headerName = /^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,99}$/
const reserved = new Set(['content-type', 'idempotency-key'])

function isAbsent(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}
