import { OutboundError } from '../../http/outbound-error.ts'

/** Credentials of a source: one of `basic` and `bearer`, and headers such as a tenant id. */
export type SourceAuth = {
  basic?: { username: string; password: string }
  bearer?: { token: string }
  headers?: Record<string, string>
}

/** Where a source is and how to be let in. `apiUrl` is what stands before `/api/v1`, and may have a query of its own. */
export type SourceAccess = { id: number; name: string; apiUrl: string; auth: SourceAuth | null }

/** The URL of an API path below `apiUrl`, whose own query string is kept; throws `OutboundError` for what is no URL. */
export function endpointOf({ apiUrl }: SourceAccess, path: string): URL {
  if (!URL.canParse(apiUrl)) throw new OutboundError('forbidden', 'the address is not an http or https URL')
  const url = new URL(apiUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/${path}`
  return url
}

/** Configured headers and credentials, without the headers that describe the request itself. */
export function credentialHeaders({ auth }: SourceAccess): Record<string, string> {
  const configured = Object.entries(auth?.headers ?? {}).filter(([name]) => !ownHeaders.has(name.toLowerCase()))
  return {
    ...Object.fromEntries(configured),
    ...(auth?.basic && { authorization: `Basic ${basicCredentials(auth.basic)}` }),
    ...(auth?.bearer && { authorization: `Bearer ${auth.bearer.token}` }),
  }
}

/** Takes the credentials out of a text: vmauth, for one, repeats a token it does not know in its answer. */
export function withoutSecrets({ apiUrl, auth }: SourceAccess, text: string): string {
  const secrets = [
    auth?.basic?.password ?? '',
    auth?.basic ? basicCredentials(auth.basic) : '',
    auth?.bearer?.token ?? '',
    ...Object.values(auth?.headers ?? {}),
    ...(URL.canParse(apiUrl) ? new URL(apiUrl).searchParams.values() : []),
  ]
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

/** Shorter ones, such as the tenant "1", occur in any text by chance. */
const shortestSecret = 4

const ownHeaders = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'connection'])

function basicCredentials({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}
