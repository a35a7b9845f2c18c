import { invalid } from '../../errors.ts'
import { isReservedHeader } from '../../http/headers/request-headers.ts'
import { isText } from '../../http/schemas.ts'
import type { ConfigurationInput } from './channel.ts'

/** Reads one key of a configuration; `undefined` if it is absent, null or empty. */
export type Read<T> = (given: ConfigurationInput, key: string) => T | undefined

/** Value of a required key; throws `invalid`, naming the key. */
export function required<T>(given: ConfigurationInput, key: string, read: Read<T>, message = 'must be a value'): T {
  const value = read(given, key)
  if (value === undefined) throw wrong(key, message)
  return value
}

/** Reads one line of at most `max` characters. */
export function line(max = 500): Read<string> {
  return (given, key) => {
    const value = given[key]
    if (isAbsent(value)) return undefined
    if (typeof value !== 'string' || !isText(value, { max })) {
      throw wrong(key, `must be 1 to ${max} characters, no control characters`)
    }
    return value.trim()
  }
}

/** Reads one line that matches a pattern, such as an identifier or a credential. */
export function matching(form: RegExp, description: string): Read<string> {
  return (given, key) => {
    const value = line()(given, key)
    if (value !== undefined && !form.test(value)) throw wrong(key, `must be ${description}`)
    return value
  }
}

export function oneOf<const T extends string>(...values: T[]): Read<T> {
  return (given, key) => {
    if (isAbsent(given[key])) return undefined
    const found = values.find((value) => value === given[key])
    if (found === undefined) throw wrong(key, `must be one of ${values.join(', ')}`)
    return found
  }
}

/** Reads a JSON boolean. */
export const flag: Read<boolean> = (given, key) => {
  const value = given[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'boolean') throw wrong(key, 'must be true or false')
  return value
}

/** Reads a whole number, a JSON number. */
export function wholeNumber(min: number, max: number): Read<number> {
  return (given, key) => {
    const value = given[key]
    if (isAbsent(value)) return undefined
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw wrong(key, `must be a whole number from ${min} to ${max}`)
    }
    return value
  }
}

/** Reads an http(s) URL without user name, password and fragment. */
export const httpUrl: Read<string> = (given, key) => {
  const value = line(2000)(given, key)
  if (value === undefined) return undefined
  const url = /^https?:\/\/[^\s#]+$/i.test(value) ? URL.parse(value) : null
  if (!url || url.username !== '' || url.password !== '') {
    throw wrong(key, 'must be an http(s) URL without user name, password and fragment')
  }
  return value
}

/** Reads a base URL for the receiver's paths: an `httpUrl` without query string; trailing slashes are removed. */
export const baseUrl: Read<string> = (given, key) => {
  const value = httpUrl(given, key)
  if (value?.includes('?')) throw wrong(key, 'must be a URL without query string')
  return value?.replace(/\/+$/, '')
}

/** Reads HTTP headers; those that nines sets itself are refused. */
export const headers: Read<Record<string, string>> = (given, key) => {
  const value = given[key]
  if (isAbsent(value)) return undefined
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0 || entries.length > 50) throw wrong(key, 'must be an object of 1 to 50 headers')
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) throw wrong(key, 'must have each header once, in capitals or not')
  const read = entries.map(([name, text]): [string, string] => {
    if (!headerName.test(name)) throw wrong(key, 'must be header names of letters, digits and hyphens')
    if (isReservedHeader(name) || taken.has(name.toLowerCase()))
      throw wrong(key, `must be given without ${name}, which nines sets itself`)
    if (typeof text !== 'string' || !/^[\x20-\x7e]{1,4096}$/.test(text)) {
      throw wrong(`${key}.${name}`, 'must be 1 to 4096 characters of printable ASCII')
    }
    return [name, text]
  })
  return Object.fromEntries(read)
}

/** Creates an `invalid` error for a key of a configuration. */
export function wrong(key: string, message: string) {
  return invalid(`configuration.${key}`, message)
}

const headerName = /^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,99}$/
const taken = new Set(['content-type', 'idempotency-key'])

function isAbsent(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}
