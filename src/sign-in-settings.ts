import { roles } from './role.ts'

/** Scopes of an OpenID sign-in, separated by single spaces; spaces and commas may separate them before. */
export function scopes(value: string): string {
  const items = value.split(/[\s,]+/).filter((item) => item !== '')
  if (!items.includes('openid')) throw new Error('must include openid')
  return items.join(' ')
}

/** Entries `group=role`, separated by commas, or by semicolons if there is one: then names may contain commas. */
export function roleMap(value: string): string[] {
  const entries = value.split(value.includes(';') ? ';' : ',').map((entry) => entry.trim())
  const named = entries.filter((entry) => entry !== '')
  for (const entry of named) {
    if (new RegExp(`^.+=(?:${roles.join('|')})$`).test(entry)) continue
    throw new Error(`must be a list of GROUP=ROLE with one of the roles ${roles.join(', ')}, got "${entry}"`)
  }
  return named
}

/** Name of a header, in lower case; null: none. */
export function headerName(value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]*$/.test(value)) throw new Error(`must be the name of a header, got "${value}"`)
  return value === '' ? null : value.toLowerCase()
}
