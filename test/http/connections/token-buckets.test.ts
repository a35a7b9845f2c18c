import { describe, expect, test } from 'bun:test'
import { createTokenBuckets, type TokenBuckets } from '../../../src/http/connections/token-buckets.ts'

function movedClock() {
  let nowMs = 1_795_255_200_000
  return { now: () => nowMs, advance: (ms: number) => void (nowMs += ms) }
}

/** Number of requests admitted in a row, at most `tries`. */
function admitted(buckets: TokenBuckets, key: string, tries = 2000): number {
  for (let count = 0; count < tries; count += 1) {
    if (buckets.peek(key).remaining === 0) return count
    buckets.take(key)
  }
  return tries
}

describe('a bucket', () => {
  test.each([1, 3, 7, 50, 100, 999, 1000])(
    'of %p lets just so many in at once, and as many a minute later',
    (limit) => {
      const clock = movedClock()
      const buckets = createTokenBuckets({ limit, clock })
      expect(admitted(buckets, 'a')).toBe(limit)
      clock.advance(60_000)
      expect(admitted(buckets, 'a')).toBe(limit)
    },
  )

  test('fills evenly, and not beyond its limit', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 60, clock })
    expect(admitted(buckets, 'a')).toBe(60)
    clock.advance(999)
    expect(admitted(buckets, 'a')).toBe(0)
    clock.advance(1)
    expect(admitted(buckets, 'a')).toBe(1)
    clock.advance(10_500)
    expect(admitted(buckets, 'a')).toBe(10)
    clock.advance(3_600_000)
    expect(admitted(buckets, 'a')).toBe(60)
  })

  test('says what is left, when there is one more, and when it is full', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 2, clock })
    expect(buckets.peek('a')).toEqual({ limit: 2, remaining: 2, nextInMs: 0, fullInMs: 0 })
    expect(buckets.take('a')).toEqual({ limit: 2, remaining: 1, nextInMs: 0, fullInMs: 30_000 })
    expect(buckets.take('a')).toEqual({ limit: 2, remaining: 0, nextInMs: 30_000, fullInMs: 60_000 })
    clock.advance(12_000)
    expect(buckets.peek('a')).toEqual({ limit: 2, remaining: 0, nextInMs: 18_000, fullInMs: 48_000 })
  })

  test('is its own', () => {
    const buckets = createTokenBuckets({ limit: 5, clock: movedClock() })
    expect(admitted(buckets, 'a')).toBe(5)
    expect(admitted(buckets, 'b')).toBe(5)
  })

  test('lets no more than twice its limit in within any minute, however the requests are spread', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 100, clock })
    const times: number[] = []
    for (let step = 0; step < 3000; step += 1) {
      times.push(...Array<number>(admitted(buckets, 'a')).fill(clock.now()))
      clock.advance(7 + ((step * 7919) % 131))
    }
    for (const from of times) {
      expect(times.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(200)
    }
  })
})

describe('a clock that is set', () => {
  test('back neither locks anybody out nor fills a bucket', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 60, clock })
    expect(admitted(buckets, 'a')).toBe(60)
    clock.advance(-3_600_000)
    expect(admitted(buckets, 'a')).toBe(0)
    clock.advance(1000)
    expect(admitted(buckets, 'a')).toBe(1)
  })

  test('forward fills the buckets', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 60, clock })
    expect(admitted(buckets, 'a')).toBe(60)
    clock.advance(31_536_000_000)
    expect(admitted(buckets, 'a')).toBe(60)
  })
})

describe('memory', () => {
  test('holds what a minute has used, and looking costs none', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 100, clock })
    for (let n = 0; n < 1000; n += 1) buckets.peek(`looked at ${n}`)
    expect(buckets.size()).toBe(0)
    for (let n = 0; n < 1000; n += 1) buckets.take(`used ${n}`)
    expect(buckets.size()).toBe(1000)
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(60_000)
      buckets.take('still here')
    }
    expect(buckets.size()).toBe(2)
  })

  test('a used-up bucket is remembered for all of its minute, whenever the generations turn', () => {
    for (let startMs = 0; startMs < 60_000; startMs += 1500) {
      const clock = movedClock()
      const buckets = createTokenBuckets({ limit: 1, clock })
      clock.advance(startMs)
      expect(admitted(buckets, 'a')).toBe(1)
      for (let passedMs = 500; passedMs < 60_000; passedMs += 500) {
        clock.advance(500)
        buckets.take(`somebody else at ${passedMs}`)
        expect(buckets.peek('a').remaining).toBe(0)
      }
    }
  })

  test('is bounded under a spray of a million addresses', () => {
    const clock = movedClock()
    const buckets = createTokenBuckets({ limit: 100, clock })
    let largest = 0
    for (let n = 0; n < 1_000_000; n += 1) {
      const key = `${n >> 16}.${(n >> 8) & 255}.${n & 255}`
      if (buckets.peek(key).remaining > 0) buckets.take(key)
      if (n % 1000 === 0) {
        clock.advance(10)
        largest = Math.max(largest, buckets.size())
      }
    }
    expect(largest).toBeLessThanOrEqual(100_000)
  })

  test('a spray smaller than a generation frees nobody, not even its sender', () => {
    const buckets = createTokenBuckets({ limit: 100, clock: movedClock(), maxYoungBuckets: 5000 })
    expect(admitted(buckets, 'a')).toBe(100)
    for (let n = 0; n < 5000; n += 1) buckets.take(`spray ${n}`)
    expect(admitted(buckets, 'a')).toBe(0)
  })
})
