import { isMailAddress } from '../../mail.ts'
import { type Role, roles } from '../../role.ts'

export type Claims = Record<string, unknown>

/** Texts of a claim, which is a text or a list of texts. `path`: its name, or a dotted path such as `realm_access.roles`. */
export function textsOf(claims: Claims, path: string): string[] {
  const value = claimAt(claims, path)
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')
}

/**
 * Value of a claim; undefined if there is none. A claim named `path`, dots included, such as a URL, is preferred to one at that
 * path.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}

/** Highest role that a map (`group=role`) gives to these groups; undefined if it gives none. The group `*` is everybody. */
export function roleOf(map: string[], groups: string[]): Role | undefined {
  const all = new Set(['*', ...groups])
  const given = map.filter((entry) => all.has(entry.slice(0, entry.lastIndexOf('='))))
  return roles.findLast((role) => given.some((entry) => entry.endsWith(`=${role}`)))
}

/** The e-mail address of claims, and whether the provider has verified it; null if there is no usable one. */
export function emailOf({ email, email_verified: verified }: Claims): { address: string; isVerified: boolean } | null {
  const address = typeof email === 'string' ? email.trim() : ''
  if (address.length > 254 || !isMailAddress(address)) return null
  return { address, isVerified: verified === true || verified === 'true' } // some providers write texts
}

/** Name for people to read, of at most 200 characters; undefined if the claims have none. */
export function nameOf({ name, preferred_username: user }: Claims): string | undefined {
  const found = [name, user].find((one): one is string => typeof one === 'string' && one.trim() !== '')
  return found?.trim().slice(0, 200)
}
