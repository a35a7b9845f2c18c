import type { Schemas } from '../../../../../../dist/openapi.d.ts'
import { linesOf, readLines } from './lines.ts'

export type Auth = Schemas['DataSource']['auth']

/** Credentials as the form has them. */
export type AuthDraft = {
  kind: 'none' | 'basic' | 'bearer'
  username: string
  password: string
  token: string
  headers: string
}

/** What the server shows of them; secrets are masked, and a mask that is sent back leaves the stored secret. */
export function draftOfAuth(auth: Auth): AuthDraft {
  return {
    kind: auth?.basic ? 'basic' : auth?.bearer ? 'bearer' : 'none',
    username: auth?.basic?.username ?? '',
    password: auth?.basic?.password ?? '',
    token: auth?.bearer?.token ?? '',
    headers: linesOf((auth?.headers ?? {}) as Record<string, string>, ':'),
  }
}

/** The credentials of a request; null for none. Throws for a line of headers that is none. */
export function authOf({ kind, username, password, token, headers }: AuthDraft): object | null {
  const sent = readLines(headers, ':', 'auth.headers')
  const hasHeaders = Object.keys(sent).length > 0
  if (kind === 'none' && !hasHeaders) return null
  return {
    ...(kind === 'basic' && { basic: { username, password } }),
    ...(kind === 'bearer' && { bearer: { token } }),
    ...(hasHeaders && { headers: sent }),
  }
}
