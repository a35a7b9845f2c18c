import type { Clock } from '../../clock.ts'

/** What a bucket holds: whole requests, and the times until there is one, and until it is full again. */
export type Level = { limit: number; remaining: number; nextInMs: number; fullInMs: number }

/** Token buckets by key, each of `limit` requests a window (a minute, by default) and filled evenly. */
export type TokenBuckets = {
  look(key: string): Level
  /** Takes one request out; the caller has looked and seen that there is one. */
  take(key: string): Level
  /** How many buckets are remembered. */
  size(): number
}

/** `maxYoung`: how many buckets one of the two generations below holds. */
type Options = { limit: number; clock: Clock; maxYoung?: number; windowMs?: number }

const minuteMs = 60_000

/**
 * A full bucket needs no memory, and every bucket is full a window after its last request. So there are two generations:
 * the young one takes what is used, and once it is a window old it becomes the old one, whose predecessor held only full
 * buckets and is dropped whole. Each request costs a few look-ups, whatever the number of buckets.
 *
 * A spray of addresses turns the generations early, once `maxYoung` buckets are in the young one: at most 2 × `maxYoung` are
 * ever remembered. To have a used-up bucket forgotten early takes more than `maxYoung` admitted requests from as many
 * other networks inside a window, each of which had a whole limit of its own to spend; and with a global limit of at most
 * `maxYoung` / 2 it cannot happen at all, for twice that limit (a full bucket, and its refill) is all that a window admits.
 */
export function createTokenBuckets({ limit, clock, maxYoung = 50_000, windowMs = minuteMs }: Options): TokenBuckets {
  const costMs = windowMs / limit
  const elapsedMs = forwardOnly(clock)
  let young = new Map<string, number>() // when the bucket will be full
  let old = new Map<string, number>()
  let turnedAtMs = 0

  function turn(nowMs: number) {
    old = young
    young = new Map()
    turnedAtMs = nowMs
  }

  const untilFullMs = (key: string, nowMs: number) => Math.max(0, (young.get(key) ?? old.get(key) ?? 0) - nowMs)

  function level(fullInMs: number): Level {
    const remaining = Math.floor((windowMs - fullInMs) / costMs + 0.0001) // sums of fractions fall short of whole numbers
    return { limit, remaining, nextInMs: remaining > 0 ? 0 : fullInMs + costMs - windowMs, fullInMs }
  }

  return {
    look: (key) => level(untilFullMs(key, elapsedMs())),
    take(key) {
      const nowMs = elapsedMs()
      if (nowMs - turnedAtMs >= windowMs || young.size >= maxYoung) turn(nowMs)
      const fullInMs = untilFullMs(key, nowMs) + costMs
      young.set(key, nowMs + fullInMs)
      return level(fullInMs)
    },
    size: () => young.size + old.size,
  }
}

/** Milliseconds since now, standing still while a clock that was set back catches up: that must not lock anybody out. */
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
