import { AppError } from '../../errors.ts'
import { credentialHeaders } from '../../http/endpoint-auth.ts'
import { free } from '../../http/outbound/body.ts'
import type { Outbound, OutboundAnswer } from '../../http/outbound/outbound.ts'
import { tooLarge } from '../exposition/cursor.ts'
import type { ScrapeTarget } from './target.ts'

/** Decompressed body and content type of a target's answer. `free` releases the body, which cannot be read afterwards. */
type Exposed = { body: Uint8Array; contentType: string | null; free(): void }

/** Metrics that nines exposes itself in the text format 0.0.4, by the name after `nines:`. */
export type InternalTargets = ReadonlyMap<string, () => Promise<Uint8Array>>

export type FetchDeps = { outbound: Outbound; internalTargets: InternalTargets; version: string }

/** `Accept` header that Prometheus 3.5 sends. `allow-utf-8`: names may have any characters, in quotes. */
const accept =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
const internalScheme = 'nines:'
const notText = 'it exposes protobuf, as for native histograms; nines reads Prometheus text and OpenMetrics'
const maxBodyBytes = 10 * 1024 * 1024

/** Fetches a target once. Throws `AppError` or `OutboundError` with a message without secrets, or the reason of `signal`. */
export async function fetchExposition(deps: FetchDeps, target: ScrapeTarget, signal: AbortSignal): Promise<Exposed> {
  if (target.url.startsWith(internalScheme))
    return readInternal(deps.internalTargets, target.url.slice(internalScheme.length))
  const headers = headersFor(target, deps.version)
  const { organizationId, auth } = target
  const maxBytes = (status: number) => (status === 200 ? maxBodyBytes : 0)
  const answer = await deps.outbound.fetch(target.url, {
    headers,
    signal,
    organizationId,
    maxBytes,
    tls: auth?.tls,
  })
  if (answer.status !== 200) throw unusable(notExposed(answer, target.url))
  if (answer.isCut) throw tooLarge(`a body of at most ${maxBodyBytes} bytes`)
  const { body, headers: responseHeaders } = answer
  const contentType = responseHeaders.get('content-type')
  if (/^application\/vnd\.google\.protobuf/i.test(contentType ?? '')) throw unusable(notText)
  return { body, contentType, free: () => free(body) }
}

function notExposed({ status, headers }: OutboundAnswer, from: string): string {
  const redirect = status >= 300 && status <= 399 ? originOf(headers.get('location'), from) : undefined
  return redirect ? `HTTP ${status}, a redirect to ${redirect}, is not followed` : `HTTP ${status}`
}

async function readInternal(internalTargets: InternalTargets, name: string): Promise<Exposed> {
  const read = internalTargets.get(name)
  if (!read) throw unusable(`nines exposes nothing by the name of ${JSON.stringify(name)}`)
  return { body: await read(), contentType: null, free() {} }
}

function headersFor({ auth, timeoutMs }: ScrapeTarget, version: string): Record<string, string> {
  const own = {
    accept,
    'x-prometheus-scrape-timeout-seconds': String(timeoutMs / 1000),
  }
  const credentials = Object.entries(credentialHeaders(auth)).map(([name, value]) => [name.toLowerCase(), value])
  return { 'user-agent': `nines/${version}`, ...Object.fromEntries(credentials), ...own }
}

/** Origin of a redirect, without path and query, which may contain secrets; undefined if there is none. */
function originOf(location: string | null, from: string): string | undefined {
  const origin = URL.parse(location ?? '', from)?.origin
  return location === null || origin === 'null' ? undefined : origin
}

function unusable(why: string): AppError {
  return new AppError('source_unavailable', why)
}
