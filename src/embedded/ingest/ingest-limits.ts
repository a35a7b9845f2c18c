import type { Clock } from '../../clock.ts'
import { createTokenBuckets, type TokenBuckets } from '../../http/connections/token-buckets.ts'

/** Limits of requests that send samples or report runs, which count towards no other limit. */
export type IngestLimits = {
  /** Takes a request of a token or secret address. Returns null, or after how many seconds the next one is taken. */
  take(credential: string): number | null
  /** Counts a request from a network whose token or address is unknown. */
  countUnknown(network: string): void
  /** After how many seconds a network that sent too many of those may send again; null: it may now. */
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

function secondsToWait(buckets: TokenBuckets | null, key: string): number | null {
  const level = buckets?.peek(key)
  return level?.remaining === 0 ? Math.max(1, Math.ceil(level.nextInMs / 1000)) : null
}
