import { createHash } from 'node:crypto'
import { version } from '../../package.json' with { type: 'json' }
import type { Cache } from '../cache/cache.ts'
import type { DataSourceRow } from '../db/tables/tables.ts'

/** A question whose answer may be given again to those of the organization who ask the same. */
export type Question<T> = {
  organizationId: number
  /** 0: it is about no SLO. */
  sloId: number
  timeWindow: string
  /** What of it a person is shown. */
  query: string
  /** Everything that makes a difference to the answer; is written as JSON. */
  facts: unknown
  /** Null: the answer never goes stale. */
  holdsMs: number | null
  isAnswer: (value: unknown) => value is T
}

/** `isWhole`: nothing was out of reach. `isKnown`: there was data to answer from. `isLarge`: too much to be kept. */
export type Made<T> = { answer: T; isWhole: boolean; isKnown: boolean; isLarge?: boolean }

/**
 * The answer that is kept, or else the one that is made now, once for all who wait for it. One that is not whole is not kept,
 * nor is one for ever that nothing was known for: late data may come. What was put under the key by hand and is no answer
 * goes. Throws what `make` throws, and keeps nothing then.
 */
export async function remembered<T>(
  { cache }: { cache: Cache },
  question: Question<T>,
  make: () => Promise<Made<T>>,
): Promise<{ answer: T; cached: boolean }> {
  const { isAnswer, holdsMs } = question
  const name = nameOf(question)
  const ttlMs = holdsMs === null ? null : Math.min((await cache.config()).defaultTtlMs, holdsMs)
  try {
    const { result, source } = await cache.remember({ ...name, ttlMs }, async () => {
      const made = await make()
      if (!made.isWhole || made.isLarge || (holdsMs === null && !made.isKnown)) throw new NotKept(made.answer)
      return made.answer
    })
    if (isAnswer(result)) return { answer: result, cached: source !== 'computed' }
  } catch (error) {
    if (error instanceof NotKept) return { answer: error.answer as T, cached: false } // what shares a key shares the question
    throw error
  }
  await cache.remove(question.organizationId, { type: 'key', key: name.key })
  const { answer } = await make()
  return { answer, cached: false }
}

/** `query:{slo_id}:{time_window}:{hash}`; another version of nines has other answers. */
export function nameOf({ organizationId, sloId, timeWindow, query, facts }: Omit<Question<unknown>, 'isAnswer'>) {
  const hash = createHash('sha256')
    .update(JSON.stringify([version, organizationId, query, facts]))
    .digest('hex')
  return { organizationId, sloId, timeWindow, query, key: `query:${sloId}:${timeWindow}:${hash}` }
}

/** Whether `nameOf` may have made it, rather than a person. */
export function isGeneratedKey(key: string): boolean {
  return /^query:\d+:[^:]+:[0-9a-f]{64}$/.test(key)
}

/** What of a source makes a difference: its credentials may choose the tenant, and its name is in the answers. */
export function factsOfSource({ id, name, api_url, sealed_auth }: DataSourceRow): unknown {
  return [id, name, api_url, sealed_auth === null ? null : createHash('sha256').update(sealed_auth).digest('hex')]
}

/** Brings an answer that is not to be kept past the cache, to all who wait for it. */
class NotKept extends Error {
  constructor(readonly answer: unknown) {
    super('not to be kept')
  }
}
