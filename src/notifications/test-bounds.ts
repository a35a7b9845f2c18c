import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'

/** Keeps test messages from flooding receivers, and from holding up nines while receivers hang. */
export type TestBounds = {
  /** Sends so many messages for an organization; throws `rate_limited` instead where that would be too many. */
  run<T>(organizationId: number, messages: number, send: () => Promise<T>): Promise<T>
}

const maxAMinute = 10
const maxAtOnce = 2
const maxAtOnceOfAll = 32

export function createTestBounds(clock: Clock): TestBounds {
  const buckets = createTokenBuckets({ limit: maxAMinute, clock })
  const underWay = new Map<number, number>()
  let all = 0

  return {
    async run(organizationId, messages, send) {
      const key = String(organizationId)
      const { remaining, nextInMs } = buckets.look(key)
      const own = underWay.get(organizationId) ?? 0
      if (remaining < messages) throw tooMany(`at most ${maxAMinute} messages a minute of an organization`, nextInMs)
      if (own >= maxAtOnce) throw tooMany(`at most ${maxAtOnce} at once of an organization`)
      if (all >= maxAtOnceOfAll) throw tooMany(`at most ${maxAtOnceOfAll} at once of all organizations`)
      for (let taken = 0; taken < messages; taken += 1) buckets.take(key)
      all += 1
      underWay.set(organizationId, own + 1)
      try {
        return await send()
      } finally {
        all -= 1
        const left = (underWay.get(organizationId) ?? 1) - 1
        if (left === 0) underWay.delete(organizationId)
        else underWay.set(organizationId, left)
      }
    },
  }
}

function tooMany(bound: string, waitMs = 0): AppError {
  return new AppError('rate_limited', 'Too many tests', {
    details: `must be ${bound}`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
