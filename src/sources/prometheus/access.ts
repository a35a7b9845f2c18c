import { basicCredentials } from '../../http/endpoint-auth.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { SourceAccess } from '../source.ts'

/** The URL of an API path below `apiUrl`, whose own query string is kept; throws `OutboundError` for what is no URL. */
export function endpointOf({ apiUrl }: SourceAccess, path: string): URL {
  if (!URL.canParse(apiUrl)) throw new OutboundError('forbidden', 'the address is not an http or https URL')
  const url = new URL(apiUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/${path}`
  return url
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
