import { type Static, t } from 'elysia'
import { invalid } from '../errors.ts'
import { assertTls, EndpointTls } from './endpoint-tls.ts'
import { isReservedHeader, withoutReserved } from './headers/request-headers.ts'
import { keepSecrets, maskSecrets } from './secrets.ts'

/** Pattern of a header name. It begins with a letter: Elysia turns a text sent in place of an object into `{"0": "a", …}`. */
export const HeaderName = "^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,99}$"
const Secret = t.String({
  maxLength: 4096,
  pattern: '^[\\x20-\\x7e]+$',
  description: '1 to 4096 characters of printable ASCII',
})

const Password = t.String({
  minLength: 1,
  maxLength: 4096,
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
  description: '1 to 4096 characters, no control characters',
})

/** RFC 7617: the first colon ends the user name. */
const UserName = t.String({
  maxLength: 256,
  pattern: '^[^:\\x00-\\x1f\\x7f]*$',
  description: 'at most 256 characters, no colon and no control characters',
})

export const EndpointAuth = t.Object(
  {
    basic: t.Optional(t.Object({ username: UserName, password: Password }, { additionalProperties: false })),
    bearer: t.Optional(t.Object({ token: Secret }, { additionalProperties: false })),
    headers: t.Optional(
      t.Record(t.String({ pattern: HeaderName }), Secret, {
        additionalProperties: false, // otherwise a name that does not match would pass, with any value
        minProperties: 1,
        maxProperties: 50,
        description: '1 to 50 header names and their values',
      }),
    ),
    tls: t.Optional(EndpointTls),
  },
  {
    minProperties: 1,
    additionalProperties: false, // an unknown field would be stored, and shown unmasked
    description: 'an object with basic, bearer, headers or tls',
  },
)

/** Credentials for another server: `basic` or `bearer`, headers such as a tenant id, and certificates. */
export type EndpointAuth = Static<typeof EndpointAuth>

type Column = 'data_sources.sealed_auth' | 'scrape_targets.sealed_auth'
type Row = { id: number; organization_id: number }
type Seal = { unseal(sealed: string, column: Column, row: Row): string }

/** Unseals credentials, without reserved headers; null: there are none. Throws if they were sealed for another row or column. */
export function unsealAuth(seal: Seal, column: Column, row: Row & { sealed_auth: string | null }): EndpointAuth | null {
  if (row.sealed_auth === null) return null
  const { headers: stored = {}, ...others } = JSON.parse(seal.unseal(row.sealed_auth, column, row)) as EndpointAuth
  const headers = withoutReserved(stored)
  const auth = { ...others, ...(Object.keys(headers).length > 0 && { headers }) }
  return Object.keys(auth).length > 0 ? auth : null
}

/** User names, header names and certificates are not secret. */
const secrets = ['headers.*', 'basic.password', 'bearer.token', 'tls.key']

export function maskAuth(auth: EndpointAuth | null): EndpointAuth | null {
  return auth && maskSecrets(auth, secrets)
}

/** Part of the origin in which a URL differs from the previous URL. */
type OriginChange = 'on another host' | 'with another scheme' | 'on another port'

/**
 * Describes how the origin of a URL changed; null if it did not. Credentials for the previous origin may not be sent to a new
 * one.
 */
export function originChange(url: string, previousUrl: string): OriginChange | null {
  const [next, previous] = [URL.parse(url), URL.parse(previousUrl)]
  if (next?.origin === previous?.origin) return null
  if (next?.hostname !== previous?.hostname) return 'on another host'
  return next?.protocol === previous?.protocol ? 'on another port' : 'with another scheme'
}

/**
 * Credentials after a change: the requested ones, with the previous secrets in place of masks, or the previous ones if `requested`
 * is undefined. With a `changeOfOrigin`, previous secrets are not used, and `invalid` is thrown where they are needed. `url`: where
 * the credentials are sent.
 */
export function changedAuth(
  requested: EndpointAuth | null | undefined,
  previous: EndpointAuth | null,
  changeOfOrigin: OriginChange | null,
  url: string,
): EndpointAuth | null {
  if (requested === undefined && changeOfOrigin && previous)
    throw invalid('auth', `must be sent again, or null: stored credentials are not sent to a URL ${changeOfOrigin}`)
  if (requested === undefined) return previous
  if (requested === null) return null
  const refusal = (field: string) => invalid(`auth.${field}`, 'must be the secret itself, not its mask: none is stored')
  const auth = keepSecrets(requested, changeOfOrigin ? null : previous, secrets, refusal).value
  assertAuth(auth)
  if (auth.tls) assertTls(auth.tls, 'auth.tls', url)
  return auth
}

/** Throws `invalid` for credentials that contradict each other. */
function assertAuth(auth: EndpointAuth): void {
  const headers = Object.keys(auth.headers ?? {}).map((name) => name.toLowerCase())
  if (auth.basic && auth.bearer) throw invalid('auth', 'must be basic or bearer, not both')
  if ((auth.basic || auth.bearer) && headers.includes('authorization')) {
    throw invalid('auth.headers', 'cannot have Authorization beside basic or bearer')
  }
  const reserved = headers.find((name) => isReservedHeader(name) || managedHeaders.has(name))
  if (reserved) throw invalid('auth.headers', `cannot have ${reserved}, which nines sets itself`)
}

/** Configured headers and credentials, without the headers that describe the request itself. */
export function credentialHeaders(auth: EndpointAuth | null): Record<string, string> {
  const configured = Object.entries(auth?.headers ?? {}).filter(([name]) => !managedHeaders.has(name.toLowerCase()))
  return {
    ...Object.fromEntries(configured),
    ...(auth?.basic && { authorization: `Basic ${basicCredentials(auth.basic)}` }),
    ...(auth?.bearer && { authorization: `Bearer ${auth.bearer.token}` }),
  }
}

export function basicCredentials({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}

const managedHeaders = new Set(['content-type', 'accept-encoding'])
