import { expect, test } from 'bun:test'
import { isFresh } from '../../src/cache/entry.ts'

test.each([
  [{ cachedAtMs: 1000, expiresAtMs: 61_000 }, 60_999, true],
  [{ cachedAtMs: 1000, expiresAtMs: 61_000 }, 61_000, false],
  [{ cachedAtMs: 3_600_000, expiresAtMs: 3_660_000 }, 60_000, false],
  [{ cachedAtMs: 3_600_000, expiresAtMs: null }, 60_000, true],
])(
  '%j is fresh at %p: %p; what was cached before the clock was set back is not, unless it is kept for ever',
  (entry, nowMs, expected) => {
    expect(isFresh(entry, nowMs)).toBe(expected)
  },
)
