import type { AppError } from '../errors.ts'

/** Replaces a secret in responses. If it is sent back, the stored secret stays. */
export const mask = '********'

/** Minimum length of a secret that is masked even inside a word, and of a part of one that is masked at all: shorter ones occur by chance. */
export const minMasked = 6

/** Source of a pattern that finds a secret in a text from outside: a short one, such as a number, only as a separate word. */
export function secretPattern(secret: string): string {
  const pattern = RegExp.escape(secret)
  return secret.length < minMasked ? `(?<![a-zA-Z0-9])${pattern}(?![a-zA-Z0-9])` : pattern
}

/**
 * Paths to the secrets of an object: `basic.password`, or `headers.*` for all fields of an object. Only texts are secrets; other
 * values at a path are left unchanged.
 */
export type SecretPaths = readonly string[]

/** Copy of an object with each secret masked. The scheme and host of a URL stay visible in a field that is named `…url`. */
export function maskSecrets<T extends object>(value: T, secrets: SecretPaths): T {
  return changeSecrets(value, secrets, maskOf)
}

/**
 * Copy of an object as sent, with each mask replaced by the stored secret. `kept`: paths of these secrets. Throws `refusal(field)`
 * for a mask without a stored secret.
 */
export function keepSecrets<T extends object>(
  sent: T,
  stored: object | null,
  secrets: SecretPaths,
  refusal: (field: string) => AppError,
): { value: T; kept: string[] } {
  const keptPaths: string[] = []
  const value = changeSecrets(sent, secrets, (text, path) => {
    if (text !== mask && !maskedUrl.test(text)) return text
    const field = path.join('.')
    const secret = path.reduce<unknown>((at, name) => ownFieldsOf(at)?.get(name), stored)
    if (typeof secret !== 'string' || (text !== mask && text !== maskOf(secret, path))) throw refusal(field)
    keptPaths.push(field)
    return secret
  })
  return { value, kept: keptPaths }
}

/** URL as `maskOf` masks it: `https://host/********`. */
const maskedUrl = /^https?:\/\/[^/]+\/\*{8}$/i

function maskOf(secret: string, [field = '']: readonly string[]): string {
  const url = /(?:^|_)url$/.test(field) ? URL.parse(secret) : null
  return url ? `${url.origin}/${mask}` : mask
}

type Change = (secret: string, path: readonly string[]) => string

function changeSecrets<T extends object>(value: T, secrets: SecretPaths, change: Change): T {
  return secrets.reduce((changed, path) => changeAt(changed, path.split('.'), [], change) as T, value)
}

function changeAt(value: unknown, [name, ...rest]: string[], path: string[], change: Change): unknown {
  if (name === undefined) return typeof value === 'string' ? change(value, path) : value
  const ownFields = ownFieldsOf(value)
  if (!ownFields) return value
  const changed = [...ownFields].map(([key, one]) => {
    const isOnPath = name === '*' || name === key
    return [key, isOnPath ? changeAt(one, rest, [...path, key], change) : one]
  })
  return Object.fromEntries(changed)
}

/** Fields of an object; undefined for other values. */
function ownFieldsOf(value: unknown): Map<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}
