import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import type { AppError } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'

/** Formats in which samples are sent to nines. */
export const sendingProtocols = ['remote_write', 'otlp'] as const
export type SendingProtocol = (typeof sendingProtocols)[number]

/** `sentBy`: sender for which a series was last counted; `sentIn`: number of the five-minute period in which it was. */
export type CountedSeries = { sentBy?: Sender; sentIn?: number }

/** Figures of one sender since nines started. Times are Unix milliseconds; null: never. */
export type SenderStatus = {
  protocol: SendingProtocol
  /** Name of the API token or application, or e-mail address of the account, that it sends with. */
  credential: string
  address: string
  userAgent: string
  firstMs: number
  /** Last request of which samples were stored. */
  storedMs: number | null
  samples: number
  samplesPerSecond: number
  /** Series that it sent samples of in this five-minute period or the previous one, whichever has more. */
  series: number
  refusedRequests: number
  refusedMs: number | null
  refusedReason: string | null
}

/** Sender of samples, which counts what it sent. */
export type Sender = {
  /** Counts a series that samples are sent of; call it for each request. */
  count(series: CountedSeries): void
  stored(samples: number): void
  refused(error: AppError): void
  status(): SenderStatus
}

/** Way of a request without a valid token or address: a format of samples, or a report of a job. */
export type UnknownProtocol = SendingProtocol | 'report'

/** Requests from an address without a valid token, or to an address of no heartbeat, since nines started. */
export type UnknownSender = {
  protocol: UnknownProtocol
  address: string
  userAgent: string
  refusedRequests: number
  refusedMs: number
}

/** Senders of samples, one for each protocol, credential and address. In memory: the last hundred of each organization. */
export type Senders = {
  of(caller: Pick<Caller, 'organizationId' | 'credential' | 'email' | 'origin'>, protocol: SendingProtocol): Sender
  list(organizationId: number): SenderStatus[]
  /** Counts a request that was refused because its token or address is not known; such a request belongs to no organization. */
  refusedUnknown(origin: { ip: string; userAgent: string }, protocol: UnknownProtocol): void
  /** Senders of the last such requests, at most a hundred, the newest first. */
  listUnknown(): UnknownSender[]
}

const maxSenders = 100
const periodMs = 5 * 60_000
const maxTextCharacters = 500

export function createSenders(clock: Clock): Senders {
  const byOrganization = new Map<number, LRUCache<string, Sender>>()
  const unknown = new LRUCache<string, UnknownSender>({ max: maxSenders })
  return {
    of({ organizationId, credential, email, origin }, protocol) {
      const senders = byOrganization.getOrInsertComputed(organizationId, () => new LRUCache({ max: maxSenders }))
      const key = [protocol, credential.type, credential.type === 'session' ? email : credential.id, origin.ip].join(
        ' ',
      )
      const known = senders.get(key)
      if (known) return known
      const name = credential.type === 'session' ? email : credential.name
      const sender = createSender(clock, {
        protocol,
        credential: name,
        address: origin.ip,
        userAgent: origin.userAgent.slice(0, maxTextCharacters),
      })
      senders.set(key, sender)
      return sender
    },
    list: (organizationId) =>
      [...(byOrganization.get(organizationId)?.values() ?? [])].map((sender) => sender.status()),
    refusedUnknown({ ip: address, userAgent }, protocol) {
      const key = `${protocol} ${address}`
      const refusedRequests = (unknown.get(key)?.refusedRequests ?? 0) + 1
      const named = { protocol, address, userAgent: userAgent.slice(0, maxTextCharacters) }
      unknown.set(key, { ...named, refusedRequests, refusedMs: clock.now() })
    },
    listUnknown: () => [...unknown.values()],
  }
}

type Named = Pick<SenderStatus, 'protocol' | 'credential' | 'address' | 'userAgent'>

function createSender(clock: Clock, named: Named): Sender {
  const firstMs = clock.now()
  let samples = 0
  let storedMs: number | null = null
  let [refusedRequests, refusedMs, refusedReason]: [number, number | null, string | null] = [0, null, null]
  let period = periodAt(firstMs)
  let current = { samples: 0, series: 0 }
  let previous = { samples: 0, series: 0 }

  function startPeriod(): void {
    const now = periodAt(clock.now())
    if (now === period) return
    previous = now === period + 1 ? current : { samples: 0, series: 0 }
    current = { samples: 0, series: 0 }
    period = now
  }

  const sender: Sender = {
    count(series) {
      startPeriod()
      if (series.sentBy === sender && series.sentIn === period) return
      Object.assign(series, { sentBy: sender, sentIn: period })
      current.series += 1
    },
    stored(count) {
      startPeriod()
      storedMs = clock.now()
      samples += count
      current.samples += count
    },
    refused({ message, details }) {
      refusedRequests += 1
      refusedMs = clock.now()
      refusedReason = (details === undefined ? message : `${message}: ${details}`).slice(0, maxTextCharacters)
    },
    status() {
      startPeriod()
      const nowMs = clock.now()
      const sinceMs = Math.max(firstMs, (period - 1) * periodMs)
      return {
        ...named,
        firstMs,
        storedMs,
        samples,
        samplesPerSecond: (current.samples + previous.samples) / Math.max(60, (nowMs - sinceMs) / 1000),
        series: Math.max(current.series, previous.series),
        refusedRequests,
        refusedMs,
        refusedReason,
      }
    },
  }
  return sender
}

function periodAt(ms: number): number {
  return Math.floor(ms / periodMs)
}
