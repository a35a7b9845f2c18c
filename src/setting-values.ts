import { isIP } from 'node:net'
import { readCidr } from './cidr.ts'

/** Parses the text of a setting. Throws an `Error` that states what it must be. */
export type Parse<T> = (text: string) => T

export const text: Parse<string> = (value) => value

export const optional: Parse<string | null> = (value) => (value === '' ? null : value)

/** An IP address or host name. Listening shows if it belongs to this machine. */
export const hostName: Parse<string> = (value) => {
  if (isIP(value) === 0 && !/^[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?$/i.test(value)) {
    throw new Error(`must be an IP address or a host name, got "${value}"`)
  }
  return value
}

const list = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export function whole(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, got "${value}"`)
    }
    return number
  }
}

export function zeroOr(min: number, max: number): Parse<number> {
  return (value) => {
    if (value === '0') return 0
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be 0, or a whole number from ${min} to ${max}, got "${value}"`)
  }
}

export function oneOf<const T extends string>(...allowed: T[]): Parse<T> {
  return (value) => {
    const found = allowed.find((item) => item === value)
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}, got "${value}"`)
    return found
  }
}

export function secretOfAtLeast(bytes: number): Parse<string | null> {
  return (value) => {
    if (value === '') return null
    const length = Buffer.byteLength(value)
    if (length < bytes) throw new Error(`must be at least ${bytes} bytes, got ${length}`)
    return value
  }
}

export const sourceUrl: Parse<string | null> = (value) => {
  if (value === 'embedded') return value
  return value === '' ? null : httpUrl(value)
}

export const optionalUrl: Parse<string | null> = (value) => (value === '' ? null : httpUrl(value))

/** The value may hold a secret, so the error does not repeat it. */
export const secretUrl: Parse<string | null> = (value) => {
  if (value === '') return null
  const url = /^https?:\/\/\S+$/i.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null) throw new Error('must be an http(s) URL')
  if (url.username !== '' || url.password !== '') throw new Error('must be a URL without user name and password')
  return value
}

/** The value may hold a password, so the error does not repeat it. */
export const smtpUrl: Parse<string | null> = (value) => {
  if (value === '') return null
  const url = URL.canParse(value) ? new URL(value) : null
  const good = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
  if (!good) throw new Error('must be smtp://[user:password@]host[:port] or smtps://…')
  return value
}

export const mailFrom: Parse<string> = (value) => {
  if (!/^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value)) throw new Error(`must be an e-mail address, got "${value}"`)
  return value
}

export const origins: Parse<string[]> = (value) => {
  const items = list(value)
  if (items.length > 1 && items.includes('*')) throw new Error('must be either * or a list of origins, not both')
  return items.map((item) => {
    if (item === '*') return item
    const origin = httpUrl(item)
    if (origin !== new URL(item).origin) throw new Error(`must be scheme://host[:port], got "${item}"`)
    return origin
  })
}

export const cidrs: Parse<string[]> = (value) => {
  const items = list(value)
  items.forEach(readCidr)
  return items
}

function httpUrl(value: string): string {
  const url = /^https?:\/\/\S+$/i.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null) {
    const repeated = value.includes('@') ? '' : `, got "${value}"` // never a password
    throw new Error(`must be an http(s) URL${repeated}`)
  }
  if (url.username !== '' || url.password !== '') throw new Error('must be a URL without user name and password')
  if (/[?#]/.test(value)) throw new Error('must be a URL without query string and fragment')
  return value.replace(/\/+$/, '')
}

export function decimal(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value)
    if (/^\d+(?:\.\d+)?$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a number from ${min} to ${max}, got "${value}"`)
  }
}
