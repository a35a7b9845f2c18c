import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Bucket } from '../../app/backups/bucket.ts'
import { expiryWords, stageOf } from '../../certificate.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { timeOfBackup } from '../../db/backup/kept-backups.ts'
import { readCertificate } from '../../embedded/certificates/read-certificate.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { verifyMailServer } from '../../mail.ts'
import { failure, type Finding, messageOf, ok, warning } from './finding.ts'

/** Server that nines connects to. `name`: the setting or source with its URL. `isFromSettings`: true for a setting. */
export type Endpoint = {
  name: string
  url: string
  isSource: boolean
  isFromSettings: boolean
  hasCredentials: boolean
}

export type NetworkDeps = {
  endpoints: Endpoint[]
  outbound: Pick<Outbound, 'fetch' | 'resolve'>
  clock: Clock
  resolves?: (host: string) => Promise<unknown>
}

const timeoutMs = 10_000

/** Servers that the settings name, of HTTP and of mail. */
export function endpointsOf(config: Config): Endpoint[] {
  const { sourceUrl, remoteWriteUrl, heartbeatUrl, smtpUrl, backupS3Url, oidcIssuer } = config
  const endpoint = (name: string, url: string | null, isSource = false): Endpoint[] =>
    url === null || url === 'embedded' ? [] : [{ name, url, isSource, isFromSettings: true, hasCredentials: false }]
  return [
    ...endpoint('the source of new organizations', sourceUrl, true),
    ...endpoint('the receiver of remote write', remoteWriteUrl),
    ...endpoint('the heartbeat', heartbeatUrl),
    ...endpoint('the mail server', smtpUrl),
    ...endpoint('the bucket of backups', backupS3Url),
    ...endpoint('the sign-in provider', oidcIssuer),
  ]
}

/** Checks host names, sources, the clock, and certificates. A host name without an address is reported once, and not connected to. */
export async function checkNetwork(deps: NetworkDeps): Promise<Finding[]> {
  const { endpoints, resolves = lookup } = deps
  const unresolved = new Map<string, string>()
  const hosts = new Set(endpoints.map(({ url }) => hostOf(url)).filter((host) => isIP(host) === 0))
  await Promise.all(
    [...hosts].map((host) => resolves(host).catch((error: unknown) => void unresolved.set(host, messageOf(error)))),
  )
  const unresolvedFindings = [...unresolved].map(([host, problem]) => {
    const users = endpoints.filter(({ url }) => hostOf(url) === host).map(({ name }) => name)
    const advice = 'check the name, and the name servers of this machine in /etc/resolv.conf'
    return failure('dns', `${host} has no address (${problem}), for ${users.join(', ')}`, advice)
  })
  const reachable = endpoints.filter(({ url }) => !unresolved.has(hostOf(url)))
  const [sourceFindings, certificates] = await Promise.all([
    askSources(deps, reachable),
    checkCertificates(deps, reachable),
  ])
  const resolved = hosts.size === 0 ? 'no host names are configured' : `${hosts.size} host names have addresses`
  return [
    ...(unresolvedFindings.length > 0 ? unresolvedFindings : [ok('dns', resolved)]),
    ...sourceFindings,
    ...certificates,
  ]
}

function hostOf(url: string): string {
  return new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
}

/** Asks each source, and compares this clock with theirs. */
async function askSources(deps: NetworkDeps, endpoints: Endpoint[]): Promise<Finding[]> {
  const sources = endpoints.filter(({ isSource }) => isSource)
  if (!deps.endpoints.some(({ isSource }) => isSource)) return [ok('sources', 'only the embedded one'), checkClock([])]
  const answers = await Promise.all(sources.map((source) => ask(deps, source)))
  return [...answers.map(({ finding }) => finding), checkClock(answers.flatMap(({ offsetMs }) => offsetMs ?? []))]
}

type Answer = { finding: Finding; offsetMs?: number }

async function ask({ outbound, clock }: NetworkDeps, source: Endpoint): Promise<Answer> {
  const { name, url, isFromSettings } = source
  try {
    const beganMs = clock.now()
    const { status, headers, body } = await outbound.fetch(`${url}/api/v1/query?query=1`, {
      maxBytes: 65_536,
      allowPrivate: isFromSettings,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const theirMs = Date.parse(headers.get('date') ?? '') + 500 // the header has whole seconds, so half of one has passed on average
    const offsetMs = (beganMs + clock.now()) / 2 - theirMs // from the middle of the request
    const finding = findingOfAnswer(source, status, String(body))
    return Number.isNaN(offsetMs) ? { finding } : { finding, offsetMs }
  } catch (error) {
    const problem = error instanceof DOMException ? `no answer within ${timeoutMs / 1000} s` : messageOf(error)
    const advice =
      'see if it runs, and if this machine may connect to it; OUTBOUND_DENY and OUTBOUND_ALLOW say what nines may reach'
    return { finding: failure('sources', `${name}: ${problem}`, advice) }
  }
}

function findingOfAnswer({ name, hasCredentials }: Endpoint, status: number, body: string): Finding {
  if (status === 200 && /"status"\s*:\s*"success"/.test(body)) return ok('sources', `${name} answers`)
  if (status !== 401 && status !== 403) {
    const advice = 'its URL must be the base URL of a server with the HTTP API of Prometheus, without /api/v1'
    return failure('sources', `${name} answers a query with HTTP ${status}`, advice)
  }
  if (hasCredentials) return ok('sources', `${name} answers; its credentials have not been tried`)
  return warning('sources', `${name} asks for credentials`, 'enter them on the page of the source')
}

const goodOffsetMs = 5000
const maxOffsetMs = 60_000

/** A finding for the difference to the closest of other clocks. */
export function checkClock(offsetsMs: number[]): Finding {
  const [closest] = offsetsMs.toSorted((a, b) => Math.abs(a) - Math.abs(b))
  if (closest === undefined) return ok('clock', 'no other clock to compare with')
  const seconds = Math.round(Math.abs(closest) / 1000)
  if (Math.abs(closest) < goodOffsetMs) return ok('clock', 'the same time as that of the sources')
  const message = `this clock is ${seconds} s ${closest > 0 ? 'ahead of' : 'behind'} that of the sources`
  const advice = 'set the time by NTP on both machines: timedatectl set-ntp true'
  return Math.abs(closest) > maxOffsetMs ? failure('clock', message, advice) : warning('clock', message, advice)
}

async function checkCertificates(deps: NetworkDeps, endpoints: Endpoint[]): Promise<Finding[]> {
  const secure = endpoints.filter(({ url }) => /^(?:https|smtps):/i.test(url))
  if (secure.length === 0) return [ok('certificates', 'no server with one is configured')]
  return (await Promise.all(secure.map((endpoint) => checkCertificate(deps, endpoint)))).flat()
}

async function checkCertificate({ outbound, clock }: NetworkDeps, endpoint: Endpoint): Promise<Finding[]> {
  const { protocol, port } = new URL(endpoint.url)
  const server = {
    host: hostOf(endpoint.url),
    port: Number(port) || (protocol === 'smtps:' ? 465 : 443),
    starttls: false,
    allowPrivate: endpoint.isFromSettings,
  }
  const certificate = await readCertificate(server, { outbound, signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => null,
  )
  if (certificate === null) return [] // the connection itself is another check
  const nowMs = clock.now()
  const expiresMs = certificate.expiresAt * 1000
  const message = `that of ${endpoint.name} ${expiryWords(expiresMs, nowMs)}`
  const advice = `renew it on ${server.host}`
  if (expiresMs <= nowMs) return [failure('certificates', message, advice)]
  const isLate = stageOf(certificate, nowMs / 1000) !== null
  return [isLate ? warning('certificates', message, advice) : ok('certificates', message)]
}

/** Connects to the mail server and signs in, without a mail. */
export async function checkMail({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<Finding[]> {
  if (smtpUrl === null) return [ok('mail', 'SMTP_URL is not set, so no mail is sent')]
  try {
    await verifyMailServer(smtpUrl)
    return [ok('mail', 'the mail server accepts the connection')]
  } catch (error) {
    const advice = 'check host, port, user and password of SMTP_URL, and if this machine may connect to it'
    return [failure('mail', `the mail server: ${messageOf(error)}`, advice)]
  }
}

/** Lists the copies in the bucket of `BACKUP_S3_URL`. Writes nothing there; null: no bucket is set. */
export async function checkBucket(bucket: Pick<Bucket, 'list'> | null): Promise<Finding[]> {
  if (bucket === null) return []
  try {
    const copies = (await bucket.list()).filter(({ name }) => timeOfBackup(name) !== null)
    return [ok('backup', `the bucket of BACKUP_S3_URL answers; it has ${copies.length} backups`)]
  } catch (error) {
    const advice = 'check BACKUP_S3_URL and its keys; backups are in BACKUP_DIR only until then'
    return [failure('backup', `the server of BACKUP_S3_URL ${messageOf(error)}`, advice)]
  }
}
