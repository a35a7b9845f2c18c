import { type Clock, minuteMs } from '../../clock.ts'

/** State of a bucket: remaining whole requests, and the milliseconds until the next request and until it is full. */
export type Level = { limit: number; remaining: number; nextInMs: number; fullInMs: number }

/** Token buckets by key. Each holds `limit` requests per window (default: a minute) and refills evenly. */
export type TokenBuckets = {
  peek(key: string): Level
  /** Takes one request. The caller must have checked with `peek` that one remains. */
  take(key: string): Level
  /** Number of buckets in memory. */
  size(): number
}

/** `clock`: wall clock or stopwatch. `maxYoungBuckets`: maximum number of buckets in the young generation below. */
type Options = { limit: number; clock: Clock; maxYoungBuckets?: number; windowMs?: number }

/**
 * Creates the buckets. A full bucket needs no memory, and every bucket is full one window after its last request. So there are
 * two generations. Used buckets are in the young one. After one window it becomes the old one; the previous old one then holds
 * only full buckets and is dropped whole. Each request costs a few look-ups, whatever the number of buckets.
 *
 * Many distinct addresses rotate the generations early, once the young one has `maxYoungBuckets` buckets: at most 2 × `maxYoungBuckets`
 * buckets are in memory. To get an exhausted bucket evicted early, an attacker needs more than `maxYoungBuckets` admitted requests
 * from as many other networks within a window, each of which has its own limit. With a global limit of at most `maxYoungBuckets` / 2
 * it is impossible: a window admits at most twice that limit (a full bucket and its refill).
 */
export function createTokenBuckets({
  limit,
  clock,
  maxYoungBuckets = 50_000,
  windowMs = minuteMs,
}: Options): TokenBuckets {
  const costMs = windowMs / limit
  const elapsedMs = forwardOnly(clock)
  let young = new Map<string, number>() // time at which the bucket is full
  let old = new Map<string, number>()
  let rotatedAtMs = 0

  function rotate(nowMs: number) {
    old = young
    young = new Map()
    rotatedAtMs = nowMs
  }

  const untilFullMs = (key: string, nowMs: number) => Math.max(0, (young.get(key) ?? old.get(key) ?? 0) - nowMs)

  function level(fullInMs: number): Level {
    const remaining = Math.floor((windowMs - fullInMs) / costMs + 0.0001) // sums of fractions are slightly below whole numbers
    return { limit, remaining, nextInMs: remaining > 0 ? 0 : fullInMs + costMs - windowMs, fullInMs }
  }

  return {
    peek: (key) => level(untilFullMs(key, elapsedMs())),
    take(key) {
      const nowMs = elapsedMs()
      if (nowMs - rotatedAtMs >= windowMs || young.size >= maxYoungBuckets) rotate(nowMs)
      const fullInMs = untilFullMs(key, nowMs) + costMs
      young.set(key, nowMs + fullInMs)
      return level(fullInMs)
    },
    size: () => young.size + old.size,
  }
}

/** Stopwatch that gives the milliseconds since it was created. Ignores steps back of the clock, which must not lock anybody out. */
function forwardOnly(clock: Clock): () => number {
  let lastMs = clock.now()
  let passedMs = 0
  return () => {
    const nowMs = clock.now()
    passedMs += Math.max(0, nowMs - lastMs)
    lastMs = nowMs
    return passedMs
  }
}
