import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { createTokenBuckets, type TokenBuckets } from '../../http/connections/token-buckets.ts'
import { networkOf } from '../../http/headers/origin.ts'
import type { Admission } from '../../http/signed-in.ts'

/** Limits of requests that send samples or report runs, which count towards no other limit. */
export type IngestLimits = {
  /** Takes a request of a token or secret address and returns null, or returns the seconds until the next one is taken. */
  take(credential: string): number | null
  /** Counts a request from a network whose token or address is unknown. */
  countUnknown(network: string): void
  /** Seconds until a network with too many such requests may send again; null: it may now. */
  waitOf(network: string): number | null
}

type Deps = {
  stopwatch: Clock
  /** Requests a minute: of one credential, and from one network with unknown ones. 0: no limit. */
  config: { ingestRateLimit: number; rateLimitPerIp: number }
}

export function createIngestLimits({ stopwatch, config }: Deps): IngestLimits {
  const bucketsOf = (limit: number) => (limit === 0 ? null : createTokenBuckets({ limit, clock: stopwatch }))
  const ofCredential = bucketsOf(config.ingestRateLimit)
  const ofUnknown = bucketsOf(config.rateLimitPerIp)
  return {
    take(credential) {
      const seconds = secondsToWait(ofCredential, credential)
      if (seconds === null) ofCredential?.take(credential)
      return seconds
    },
    countUnknown: (network) => void ofUnknown?.take(network),
    waitOf: (network) => secondsToWait(ofUnknown, network),
  }
}

/**
 * Admits as many requests of each credential as the limits allow. Further ones get 503, because clients drop what is answered with
 * 429.
 */
export function admissionOf(limits: IngestLimits): Admission {
  const assertNoWait = (seconds: number | null) => {
    if (seconds === null) return
    throw new AppError('unavailable', 'Rate limit exceeded', {
      details: `try again in ${seconds} s`,
      headers: { 'Retry-After': String(seconds) },
    })
  }
  return {
    before: ({ ip }) => assertNoWait(limits.waitOf(networkOf(ip))),
    unknown: ({ ip }) => limits.countUnknown(networkOf(ip)),
    known: ({ credential: { type, id } }) => assertNoWait(limits.take(`${type} ${id}`)),
  }
}

function secondsToWait(buckets: TokenBuckets | null, key: string): number | null {
  const level = buckets?.peek(key)
  return level?.remaining === 0 ? Math.max(1, Math.ceil(level.nextInMs / 1000)) : null
}
