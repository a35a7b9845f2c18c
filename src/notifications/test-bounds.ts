import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'

/** Keeps test messages from flooding receivers, and from holding up nines while receivers hang. */
export type TestBounds = {
  /** Sends so many messages for an organization; throws `rate_limited` instead where that would be too many. */
  run<T>(organizationId: number, messages: number, send: () => Promise<T>): Promise<T>
}

const mostAMinute = 10
const mostAtOnce = 2
const mostAtOnceOfAll = 32

export function createTestBounds(clock: Clock): TestBounds {
  const buckets = createTokenBuckets({ limit: mostAMinute, clock })
  const underWay = new Map<number, number>()
  let all = 0

  return {
    async run(organizationId, messages, send) {
      const key = String(organizationId)
      const { remaining, nextInMs } = buckets.look(key)
      const own = underWay.get(organizationId) ?? 0
      if (remaining < messages) throw tooMany(`at most ${mostAMinute} messages a minute of an organization`, nextInMs)
      if (own >= mostAtOnce) throw tooMany(`at most ${mostAtOnce} at once of an organization`)
      if (all >= mostAtOnceOfAll) throw tooMany(`at most ${mostAtOnceOfAll} at once of all organizations`)
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
    details: `wanted ${bound}`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
