import { certificateState, type CertificateUser } from '../../certificate.ts'
import { type Clock, dayMs, hourMs } from '../../clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Database } from '../../db/open.ts'
import { hostOf, portOf } from '../../http/outbound/pin.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import { type CertificateSubject, getSealedChannel, listChecked, type SealedChannel } from './certificate-store.ts'
import { type CertificateServer, readCertificate } from './read-certificate.ts'
import { serverName } from './server.ts'
import type { Sightings } from './sightings.ts'

type Deps = {
  db: Database
  clock: Clock
  log: Log
  outbound: Outbound
  sightings: Sightings
  /** Server of a channel with TLS; null: it has none. Throws if its configuration cannot be read. */
  serverOfChannel: (channel: SealedChannel) => Omit<CertificateServer, 'allowPrivate'> | null
  /** Base URL of the source that the operator gives to new organizations: it may be in a private network. */
  operatorUrl: string | null
  isClosing: () => boolean
}

/**
 * Reads the certificates of the servers of sources and channels on separate connections, because Bun's fetch shows a certificate only
 * on a new connection, and only a trusted one: it hides an expired certificate, and on a reused connection a renewed one.
 */
export type ServerChecks = {
  /**
   * Reads the certificates that are due, at most 20: each once a day, or hourly while it is expiring, expired or could not be read.
   * Call it every minute.
   */
  run(): Promise<void>
  /** Resolves once no certificate is being read. If the app is closing, aborts reads under way. */
  drain(): Promise<void>
}

/**
 * Check of a subject. `version`: changes with its configuration; `nextMs`: time at which its certificate is to be read again.
 * `server`: null if the subject has none, or it is not known yet.
 */
type Check = { version: string; nextMs: number; server: CertificateServer | null }
type Subject = CertificateSubject & { version: string; url: string | null }
type SubjectServer = { subject: Subject; server: CertificateServer }

const maxPerRun = 20
const concurrency = 4

export function createServerChecks(deps: Deps): ServerChecks {
  const { db, clock, log, outbound, sightings, operatorUrl, isClosing } = deps
  const checks = new Map<string, Check>()
  const reads = createSemaphore(concurrency)
  const abortController = new AbortController()

  async function listSubjects(): Promise<Subject[]> {
    const { sources, channels } = await listChecked(db.read)
    const subjectOf = (kind: 'source' | 'channel', row: (typeof channels)[number], url: string | null): Subject => ({
      kind,
      id: row.id,
      organizationId: row.organization_id,
      version: `${row.updated_at} ${url ?? ''}`,
      url,
    })
    return [
      ...sources.map((row) => subjectOf('source', row, row.api_url)),
      ...channels.map((row) => subjectOf('channel', row, null)),
    ]
  }

  /** Check of a subject. After a start, its first due time follows from the time at which the stored certificate was read. */
  async function checkOf(subject: Subject): Promise<Check> {
    const key = keyOf(subject)
    const known = checks.get(key)
    if (known?.version === subject.version) return known
    const last = known ? null : await sightings.lastOf(subject)
    const check = {
      version: subject.version,
      nextMs: last ? last.seenAt * 1000 + pauseAfter(last) : -Infinity,
      server: null,
    }
    checks.set(key, check)
    return check
  }

  /** Milliseconds until a certificate is read again. */
  function pauseAfter(certificate: { startsAt: number; expiresAt: number } | null): number {
    const isGood = certificate === null || certificateState(certificate, clock.now() / 1000) === 'valid'
    return isGood ? dayMs : hourMs
  }

  function putCheck(subject: Subject, server: CertificateServer | null, pauseMs: number): void {
    checks.set(keyOf(subject), { version: subject.version, server, nextMs: clock.now() + pauseMs })
  }

  async function serverOf(subject: Subject): Promise<CertificateServer | null> {
    if (subject.url !== null) {
      const url = URL.parse(subject.url)
      const allowPrivate = subject.url === operatorUrl
      return url && { host: hostOf(url), port: portOf(url), starttls: false, allowPrivate }
    }
    const channel = await getSealedChannel(db.read, subject.id)
    const server = channel ? deps.serverOfChannel(channel) : null
    return server && { ...server, allowPrivate: false }
  }

  /** Reads the certificate of a server once, for all subjects of one organization that have it. */
  async function read(found: SubjectServer[]): Promise<void> {
    const [first] = found
    if (!first || abortController.signal.aborted) return
    let pauseMs = hourMs
    try {
      const certificate = await readCertificate(first.server, { outbound, signal: abortController.signal })
      const seen = certificate && { ...certificate, seenAt: Math.floor(clock.now() / 1000) }
      const name = serverName(first.server.host, first.server.port)
      for (const { subject } of found) sightings.note({ ...subject, server: name, certificate: seen })
      pauseMs = pauseAfter(certificate)
    } catch (error) {
      if (!isClosing()) log.debug('certificate not read', { [first.subject.kind]: first.subject.id, error })
    }
    for (const { subject, server } of found) putCheck(subject, server, pauseMs)
  }

  async function findDue(): Promise<SubjectServer[]> {
    const found: SubjectServer[] = []
    const subjects = await listSubjects()
    const listed = new Set(subjects.map(keyOf))
    for (const key of checks.keys()) if (!listed.has(key)) checks.delete(key)
    for (const subject of subjects) {
      if (found.length >= maxPerRun) break
      const { nextMs } = await checkOf(subject)
      if (clock.now() < nextMs && nextMs - clock.now() <= dayMs) continue // further ahead: the clock was set back since, and it is due
      try {
        const server = await serverOf(subject)
        if (server) found.push({ subject, server })
        else sightings.note({ ...subject, server: '', certificate: null })
        putCheck(subject, server, dayMs)
      } catch (error) {
        putCheck(subject, null, dayMs)
        log.warn('server of a certificate is not known', { [subject.kind]: subject.id, error })
      }
    }
    const dueServers = new Set(found.map(serverKey))
    const due = new Set(found.map(({ subject }) => keyOf(subject)))
    for (const subject of subjects) {
      const server = checks.get(keyOf(subject))?.server
      if (!server || due.has(keyOf(subject)) || !dueServers.has(serverKey({ subject, server }))) continue
      found.push({ subject, server }) // not due, but its server is connected to now
    }
    return found
  }

  return {
    async run() {
      const groups = Map.groupBy(await findDue(), serverKey)
      await Promise.all([...groups.values()].map((found) => reads.run(() => read(found))))
    },
    async drain() {
      if (isClosing()) abortController.abort()
      await reads.drain()
    },
  }
}

function keyOf({ kind, id }: { kind: CertificateUser['kind']; id: number }): string {
  return `${kind} ${id}`
}

function serverKey({ subject, server }: SubjectServer): string {
  return JSON.stringify([subject.organizationId, server])
}
