import type { IncomingMessage } from 'node:http'
import { version } from '../../../package.json' with { type: 'json' }
import { hostOf, portOf, readUrl } from '../../http/outbound/pin.ts'
import { credentialHeaders } from '../../http/endpoint-auth.ts'
import { withoutReserved } from '../../http/headers/request-headers.ts'
import type { HttpSettings, Probe } from '../collection/target.ts'
import { type Certificates, setCertificates } from './certificates.ts'
import { assertAnswer, assertFast } from './conditions.ts'
import { withShownCertificate } from '../../http/outbound/client-certificate.ts'
import { connect, noProgress, type Peer, ProbeFailure, secondsSince, type ProbeDeps } from './connect.ts'
import { exchange, type HttpRequest, readBody } from './exchange.ts'
import { type Gauges, setLookup } from './gauges.ts'

type HttpProbe = Extract<Probe, { type: 'http' }>

const phaseNames = ['resolve', 'connect', 'tls', 'processing', 'transfer'] as const
const maxRedirects = 10
const maxBodyBytes = 1024 * 1024

/** State of a probe along its redirects. `origin`: that of its target; `certificates` are those of the last connection. */
type HttpProbeState = {
  origin: string
  settings: HttpSettings
  gauges: Gauges
  deps: ProbeDeps
  phases: Record<(typeof phaseNames)[number], number>
  certificates: Certificates | null
}

/** Throws if there is no answer, or not the expected one. Names and values as in `prober/http.go` of the blackbox exporter. */
export async function probeHttp({ target, settings }: HttpProbe, gauges: Gauges, deps: ProbeDeps): Promise<void> {
  for (const name of zeros) gauges.set(name, 0)
  setLookup(gauges, 0, null)
  const phases = { resolve: 0, connect: 0, tls: 0, processing: 0, transfer: 0 }
  const { origin } = readUrl(target)
  const state: HttpProbeState = { origin, settings, gauges, deps, phases, certificates: null }
  try {
    let request: HttpRequest | null = firstRequest(target, settings)
    for (let hop = 0; request; hop += 1) request = await requestOnce(request, hop, state)
    assertFast(
      Object.values(phases).reduce((sum, seconds) => sum + seconds * 1000, 0),
      settings,
    )
  } finally {
    for (const phase of phaseNames) gauges.set('probe_http_duration_seconds', phases[phase], ['phase', phase])
    setCertificates(gauges, state.certificates)
  }
}

/** Gauges that are 0 until an answer has come. */
const zeros = [
  'probe_http_status_code',
  'probe_http_version',
  'probe_http_content_length',
  'probe_http_uncompressed_body_length',
  'probe_http_redirects',
  'probe_http_ssl',
  'probe_failed_due_to_regex',
]

function firstRequest(target: string, { method, headers, body, auth }: HttpSettings): HttpRequest {
  const entries = Object.entries(withoutReserved(headers))
  const names = entries.map(([name]) => name.toLowerCase())
  const agent = names.includes('user-agent') ? {} : { 'User-Agent': `nines/${version}` }
  const sent = { ...agent, ...Object.fromEntries(entries), ...credentialHeaders(auth) }
  return { url: readUrl(target), method, headers: sent, body }
}

/**
 * Sends a request. Gives the next request if the answer is a redirect to follow; otherwise checks the answer and gives null.
 */
async function requestOnce(request: HttpRequest, hop: number, state: HttpProbeState): Promise<HttpRequest | null> {
  const { settings, gauges, deps, phases } = state
  const progress = { ...noProgress }
  try {
    const peer = peerOf(request.url, state)
    const socket = await connect(peer, deps, progress)
    try {
      const beganMs = deps.clock.now()
      const answer = await exchange(socket, request).catch((error: unknown) => {
        throw withShownCertificate(error, peer.tls?.certificates)
      })
      phases.processing += secondsSince(beganMs, deps.clock)
      const destination = destinationOf(answer, request.url)
      if (destination) gauges.set('probe_http_redirects', hop + 1)
      if (destination && settings.followRedirects && hop < maxRedirects) {
        return requestAfterRedirect(request, destination, answer.statusCode ?? 0)
      }
      await checkAnswer(answer, request, state)
      return null
    } finally {
      socket.destroy()
    }
  } finally {
    phases.resolve += progress.resolveSeconds
    phases.connect += progress.connectSeconds
    phases.tls += progress.tlsSeconds
    state.certificates = progress.certificates
    if (hop === 0) setLookup(gauges, progress.resolveSeconds, progress.address)
  }
}

/**
 * Peer of a URL. Throws if the URL may not be requested, also if it comes from a redirect. Another origin than that of the target
 * is shown no client certificate, and must have a certificate of a default authority.
 */
function peerOf({ href }: URL, { origin, settings: { verifyCertificate, auth } }: HttpProbeState): Peer {
  const url = readUrl(href)
  const isTls = url.protocol === 'https:'
  const certificates = url.origin === origin ? auth?.tls : undefined
  return { host: hostOf(url), port: portOf(url), tls: isTls ? { verify: verifyCertificate, certificates } : null }
}

async function checkAnswer(
  answer: IncomingMessage,
  { url, method }: HttpRequest,
  state: HttpProbeState,
): Promise<void> {
  const { settings, gauges, deps, phases } = state
  const { statusCode: status = 0, headers } = answer
  gauges.set('probe_http_ssl', url.protocol === 'https:' ? 1 : 0)
  gauges.set('probe_http_status_code', status)
  gauges.set('probe_http_version', Number(answer.httpVersion))
  const modifiedMs = Date.parse(headers['last-modified'] ?? '')
  if (!Number.isNaN(modifiedMs)) gauges.set('probe_http_last_modified_timestamp_seconds', modifiedMs / 1000)
  const beganMs = deps.clock.now()
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  gauges.set('probe_http_content_length', Number(headers['content-length'] ?? (hasBody ? -1 : 0)))
  const reading = hasBody ? readBody(answer, maxBodyBytes) : Promise.resolve(Buffer.alloc(0))
  const body = await reading.finally(() => {
    phases.transfer += secondsSince(beganMs, deps.clock)
  })
  gauges.set('probe_http_uncompressed_body_length', body.length)
  const { expectedStatus } = settings
  const isExpected = expectedStatus.length === 0 ? status >= 200 && status < 300 : expectedStatus.includes(status)
  if (!isExpected) throw new ProbeFailure(`HTTP ${status}, expected ${settings.expectedStatus.join(' or ') || '2xx'}`)
  assertAnswer({ headers, text: body.toString(), isCut: body.length >= maxBodyBytes }, settings, gauges)
}

/** Destination of a redirect; null if the answer is no redirect. Throws if the destination is no URL. */
function destinationOf(answer: IncomingMessage, from: URL): URL | null {
  const { location } = answer.headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0)) return null
  const to = URL.parse(location, from.href)
  if (!to) throw new ProbeFailure('the redirect leads to what is no URL')
  return to
}

/**
 * Request that follows a redirect. A header that a user configured for one origin may contain credentials under any name:
 * another origin gets only harmless ones, and its own host. Method and body change as in browsers (RFC 9110, 15.4).
 */
function requestAfterRedirect(request: HttpRequest, url: URL, status: number): HttpRequest {
  const headers = Object.entries(request.headers).filter(
    ([name]) => url.origin === request.url.origin || harmlessHeaders.has(name.toLowerCase()),
  )
  const keepsMethod = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD'
  return {
    url,
    method: keepsMethod ? request.method : 'GET',
    headers: Object.fromEntries(headers),
    body: keepsMethod ? request.body : null,
  }
}

const harmlessHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'user-agent',
])
