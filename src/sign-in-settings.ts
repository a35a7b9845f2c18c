import { roles } from './role.ts'

/** Parses the scopes of an OpenID sign-in, separated by spaces or commas; returns them separated by single spaces. */
export function scopes(value: string): string {
  const items = value.split(/[\s,]+/).filter((item) => item !== '')
  if (!items.includes('openid')) throw new Error('must include openid')
  return items.join(' ')
}

/** Parses entries `group=role`, separated by commas; by semicolons if the text has one, so that names may contain commas. */
export function roleMap(value: string): string[] {
  const entries = value.split(value.includes(';') ? ';' : ',').map((entry) => entry.trim())
  const named = entries.filter((entry) => entry !== '')
  for (const entry of named) {
    if (new RegExp(`^.+=(?:${roles.join('|')})$`).test(entry)) continue
    throw new Error(`must be a list of GROUP=ROLE with one of the roles ${roles.join(', ')}, got "${entry}"`)
  }
  return named
}

/** Parses the name of a header; returns it in lower case, null if the text is empty. */
export function headerName(value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]*$/.test(value)) throw new Error(`must be the name of a header, got "${value}"`)
  return value === '' ? null : value.toLowerCase()
}
