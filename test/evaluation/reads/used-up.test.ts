import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { findUsedUp } from '../../../src/evaluation/reads/used-up.ts'
import type { LedgerWindow } from '../../../src/ledger/window-spans.ts'

const [minute, hour, day] = [60, 3600, 86_400]
const nowSeconds = 20_000 * day

/** A ledger with these failures in the minute or hour that begins at each time; records the windows it is queried for. */
function ledgerOf(badAt: ReadonlyMap<number, number>) {
  const asked: LedgerWindow[][] = []
  const sum = async (windows: LedgerWindow[]) => {
    asked.push(windows)
    return windows.map(({ startSeconds, endSeconds }) => {
      const inside = [...badAt].filter(([at]) => at >= startSeconds && at < endSeconds)
      return { good: 0, total: inside.reduce((all, [, bad]) => all + bad, 0), coveredSeconds: 1 }
    })
  }
  return { asked, sum }
}

const crossing = (fromSeconds: number, toSeconds: number, bad: number) => ({
  sloId: 1,
  revision: 1,
  startSeconds: fromSeconds,
  allowed: 100,
  from: { atSeconds: fromSeconds, bad: 0, percent: 0 },
  to: { atSeconds: toSeconds, bad, percent: bad },
})

test('finds the minute by which a budget was used up, in four rounds of eight sums at most', async () => {
  const failures = fc.array(fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 70 })), {
    minLength: 9,
  })
  await fc.assert(
    fc.asyncProperty(failures, fc.integer({ min: 0, max: 59 }), async (failed, second) => {
      const start = nowSeconds - 2 * day
      const badAt = new Map(failed.map(([at, bad]) => [start + at * minute, bad]))
      const inOrder = [...badAt].filter(([at]) => at >= start + second).toSorted(([a], [b]) => a - b)
      let all = 0
      const over = inOrder.find(([, bad]) => (all += bad) >= 100)
      fc.pre(over !== undefined)
      const { asked, sum } = ledgerOf(badAt)
      const [found] = await findUsedUp([crossing(start + second, start + day, 1000)], nowSeconds, sum)
      expect(found).toEqual({ atSeconds: (over?.[0] ?? 0) + minute, bad: all, percent: all })
      expect(asked.length).toBeLessThanOrEqual(4)
      expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(8)
    }),
    { seed: 20_261_123, numRuns: 300 },
  )
})

test('is as exact as what is kept: minutes for three days, then hours, then days', async () => {
  const found = async (ageSeconds: number) => {
    const start = nowSeconds - ageSeconds
    const { sum } = ledgerOf(new Map([[start + 5 * hour + 7 * minute, 100]]))
    const [since] = await findUsedUp([crossing(start, start + day, 100)], nowSeconds, sum)
    return (since?.atSeconds ?? 0) - start
  }
  expect([await found(2 * day), await found(20 * day), await found(80 * day)]).toEqual([
    5 * hour + 8 * minute,
    6 * hour,
    day,
  ])
})

test('asks for all crossings together, and for none that is exact already', async () => {
  const start = nowSeconds - day
  const { asked, sum } = ledgerOf(new Map([[start + hour, 100]]))
  const many = Array.from({ length: 50 }, () => crossing(start, start + 2 * hour, 100))
  const found = await findUsedUp([...many, crossing(start, start + minute, 100)], nowSeconds, sum)
  expect(found.map(({ atSeconds }) => atSeconds - start)).toEqual([...many.map(() => hour + minute), minute])
  expect(asked.length).toBeLessThanOrEqual(3)
})
