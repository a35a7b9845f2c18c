import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../errors.ts'
import { credentialHeaders } from '../../http/endpoint-auth.ts'
import type { Outbound } from '../../http/outbound.ts'
import { outboundError } from '../../http/outbound-error.ts'
import { readBody } from '../exposition/body.ts'
import type { ScrapeTarget } from './target.ts'

/** A body, decompressed, and what its target says it is. */
export type Exposed = { body: Uint8Array; contentType: string | null }

/** What nines exposes itself, by what follows `nines:`, in the text format 0.0.4. */
export type Inside = ReadonlyMap<string, () => Promise<Uint8Array>>

export type FetchDeps = { outbound: Outbound; inside: Inside; version: string }

/** As Prometheus 2.42 sends it. */
const accept =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const insideScheme = 'nines:'
const maxBodyBytes = 10 * 1024 * 1024

/** Asks a target once. Throws `AppError` or `OutboundError` with a sentence without secrets, or the reason of `signal`. */
export async function fetchExposition(deps: FetchDeps, target: ScrapeTarget, signal: AbortSignal): Promise<Exposed> {
  if (target.url.startsWith(insideScheme)) return readInside(deps.inside, target.url.slice(insideScheme.length))
  const headers = headersFor(target, deps.version)
  const response = await deps.outbound.fetch(target.url, { headers, signal, decompress: false })
  const { status } = response
  if (status !== 200) {
    void response.body?.cancel().catch(() => {}) // nobody reads it
    const redirect = status >= 300 && status <= 399 ? originOf(response.headers.get('location'), target.url) : undefined
    throw unusable(redirect ? `HTTP ${status}, a redirect to ${redirect}, is not followed` : `HTTP ${status}`)
  }
  return { body: await readDecompressed(response, signal), contentType: response.headers.get('content-type') }
}

async function readInside(inside: Inside, name: string): Promise<Exposed> {
  const read = inside.get(name)
  if (!read) throw unusable(`nines exposes nothing by the name of ${JSON.stringify(name)}`)
  return { body: await read(), contentType: null }
}

function headersFor({ auth, timeoutMs }: ScrapeTarget, version: string): Record<string, string> {
  const own = {
    accept,
    'accept-encoding': 'gzip',
    'x-prometheus-scrape-timeout-seconds': String(timeoutMs / 1000),
  }
  const credentials = Object.entries(credentialHeaders(auth)).map(([name, value]) => [name.toLowerCase(), value])
  return { 'user-agent': `nines/${version}`, ...Object.fromEntries(credentials), ...own }
}

async function readDecompressed({ body, headers }: Response, signal: AbortSignal): Promise<Uint8Array> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw unusable('the body is compressed by something else than gzip')
  if (!body) return new Uint8Array()
  try {
    if (encoding === 'identity') return await readBody(body, maxBodyBytes)
    return await pipeline(body, createGunzip(), (chunks: AsyncIterable<Uint8Array>) => readBody(chunks, maxBodyBytes))
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : outboundError(error)
  }
}

/** Where a redirect leads, without path and query: these may hold what nobody else should read. */
function originOf(location: string | null, from: string): string | undefined {
  const origin = URL.parse(location ?? '', from)?.origin
  return location === null || origin === 'null' ? undefined : origin
}

function unusable(why: string): AppError {
  return new AppError('source_unavailable', why)
}
