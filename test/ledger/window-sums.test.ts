import { beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Db } from '../../src/db/open.ts'
import type { Resolution } from '../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../src/ledger/ledger-store.ts'
import { sumWindows } from '../../src/ledger/window-sums.ts'
import { sliOfSum } from '../../src/slos/arithmetic/window-sum.ts'
import { seeded } from '../support/seeded.ts'
import { emptyLedger, joined, monday, bucket } from './ledger.ts'

const minute = 60
const hour = 3600
const day = 86_400
const thursday = monday + 3 * day

const ledger = emptyLedger()
beforeEach(() => ledger.clear())

const whose = { sloId: 1, revision: 1 }
const put = (buckets: LedgerBucket[]) => ledger.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
const window = (from: number, to: number) => ({ ...whose, startSeconds: monday + from, endSeconds: monday + to })
const sum = async (from: number, to: number, more: { keepsLead?: boolean } = {}) =>
  (await sumWindows(ledger.db.read, [{ ...window(from, to), ...more }], thursday))[0]

/**
 * Three days of minutes: some missing, some empty after a query without result, some half covered. Integers, so that sums are
 * exact.
 */
function threeDays(): LedgerBucket[] {
  const random = seeded(4)
  const upTo = (max: number) => Math.floor(random() * (max + 1))
  return Array.from({ length: 3 * 1440 }, (_, n) => {
    const startSeconds = monday + n * minute
    const total = upTo(500)
    const good = upTo(total)
    const [leadTotal, leadGood] = [upTo(total), upTo(good)]
    const whole = bucket({ startSeconds, good, total, leadGood, leadTotal })
    const kind = random()
    if (kind < 0.05) return bucket({ startSeconds, coveredSeconds: 0 })
    return kind < 0.1 ? { ...whole, coveredSeconds: 30 } : whole
  }).filter(() => random() < 0.95)
}

/** Hours or days into which these buckets are closed. */
function closed(buckets: LedgerBucket[], resolution: Resolution): LedgerBucket[] {
  const inside = Map.groupBy(buckets, ({ startSeconds }) => Math.floor(startSeconds / resolution) * resolution)
  return [...inside].map(([startSeconds, parts]) => bucket({ resolution, startSeconds, ...joined(parts) }))
}

test('a sum over days, hours and minutes equals the sum over minutes, whatever is missing of days and hours', async () => {
  const minutes = threeDays()
  const coarser = [...closed(minutes, 3600), ...closed(minutes, 86_400)]
  const strangers = minutes.flatMap((one) => [
    { ...one, sloId: 2, good: 1e6, total: 1e7 },
    { ...one, revision: 2, good: 1e8, total: 1e9 },
  ])
  await put([...minutes, ...strangers, ...closed(strangers, 3600), ...closed(strangers, 86_400)])
  // from an hour before to an hour after
  const offsets = fc.nat({ max: 74 * 60 }).map((n) => (n - 60) * minute)
  const ends = fc.tuple(offsets, offsets).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  const stored = fc.oneof(
    fc.constant(coarser),
    fc.subarray(coarser),
    fc.subarray(coarser.filter(({ resolution }) => resolution === 3600)),
  )
  await fc.assert(
    fc.asyncProperty(stored, fc.array(ends, { minLength: 1, maxLength: 10 }), async (there, wanted) => {
      await ledger.db.write
        .deleteFrom('buckets')
        .where('resolution', '>', 60)
        .where('slo_id', '=', 1)
        .where('revision', '=', 1)
        .execute()
      await put(there)
      const sums = await sumWindows(
        ledger.db.read,
        wanted.map(([from, to]) => window(from, to)),
        thursday,
      )
      const expected = wanted.map(([from, to]) => {
        const parts = minutes.filter(({ startSeconds: at }) => at >= monday + from && at < monday + to)
        const { good, total, coveredSeconds, leadGood, leadTotal } = joined(parts)
        return { good: good - leadGood, total: total - leadTotal, coveredSeconds }
      })
      expect(sums).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('any number of windows of any SLOs costs three statements', async () => {
  let statements = 0
  const counted: Db = ledger.db.read.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  const windows = [1, 2].flatMap((sloId) =>
    [5, 60, 1440, 3 * 1440].map((minutes) => ({ ...window(3 * day - minutes * minute, 3 * day), sloId })),
  )
  await sumWindows(counted, windows, thursday)
  expect(statements).toBeLessThanOrEqual(3)
  expect(statements).toBeGreaterThan(0)
})

test('what the first bucket led with is left out, also when it is an hour', async () => {
  await put([
    bucket({ good: 10, total: 12, leadGood: 3, leadTotal: 4 }),
    bucket({ startSeconds: monday + minute, good: 20, total: 22, leadGood: 5, leadTotal: 6 }),
    bucket({ resolution: 3600, startSeconds: monday + hour, good: 30, total: 33, leadGood: 7, leadTotal: 8 }),
  ])
  expect(await sum(0, 2 * minute)).toEqual({ good: 27, total: 30, coveredSeconds: 120 })
  expect(await sum(minute, 2 * minute)).toEqual({ good: 15, total: 16, coveredSeconds: 60 })
  expect(await sum(hour, 2 * hour)).toEqual({ good: 23, total: 25, coveredSeconds: 3600 })
  expect(await sum(0, 2 * hour)).toEqual({ good: 57, total: 63, coveredSeconds: 3720 })
})

test('after a gap the lead is that of the first bucket that covers anything', async () => {
  const empty = { coveredSeconds: 0, leadGood: 90, leadTotal: 90 }
  await put([
    bucket({ resolution: 3600, ...empty }),
    bucket({ startSeconds: monday + hour - minute, ...empty }),
    bucket({ startSeconds: monday + hour, ...empty }),
    bucket({ startSeconds: monday + hour + minute, good: 100, total: 200, leadGood: 60, leadTotal: 80 }),
    bucket({ startSeconds: monday + hour + 2 * minute, good: 1, total: 2, leadGood: 1, leadTotal: 2 }),
  ])
  expect(await sum(0, 2 * hour)).toEqual({ good: 41, total: 122, coveredSeconds: 120 })
})

test('steps that follow each other lose nothing between them', async () => {
  const minutes = Array.from({ length: 10 }, (_, n) =>
    bucket({ startSeconds: monday + n * minute, good: 7, total: 9, leadGood: 7, leadTotal: 9 }),
  )
  await put(minutes)
  const steps = [0, 1, 2, 3, 4].map((n) => sum(n * 2 * minute, (n + 1) * 2 * minute, { keepsLead: true }))
  for (const step of await Promise.all(steps)) expect(step).toEqual({ good: 14, total: 18, coveredSeconds: 120 })
})

test('no sum is negative, even where a lead is larger than its bucket', async () => {
  await put([bucket({ good: 1, total: 1, leadGood: 1.5, leadTotal: 2 })])
  expect(await sum(0, minute)).toEqual({ good: 0, total: 0, coveredSeconds: 60 })
})

test('of another SLO or revision nothing leaks in, and nothing measured is a sum of nothing', async () => {
  await put([bucket({ sloId: 2, total: 5 }), bucket({ revision: 2, total: 7 })])
  const whole = window(0, hour)
  const windows = [whole, { ...whole, sloId: 2 }, { ...whole, revision: 2 }, window(0, 0)]
  const sums = await sumWindows(ledger.db.read, windows, thursday)
  expect(sums.map(({ total, coveredSeconds }) => [total, coveredSeconds])).toEqual([
    [0, 0],
    [5, 60],
    [7, 60],
    [0, 0],
  ])
  expect(await sumWindows(ledger.db.read, [], thursday)).toEqual([])
})

test('where minutes are no longer kept, those that are still there do not count', async () => {
  const old = { startSeconds: monday - 2 * day, total: 1 }
  await put([bucket(old), bucket({ ...old, resolution: 3600, startSeconds: old.startSeconds + hour, total: 10 })])
  expect((await sum(-2 * day - minute, -2 * day + 2 * hour + minute))?.total).toBe(11)
  expect((await sum(-2 * day, -2 * day + minute))?.total).toBe(0)
  expect((await sum(-2 * day + minute, -2 * day + 3 * hour))?.total).toBe(10)
})

test.each([
  ['a window that is measured', { good: 999, total: 1000, coveredSeconds: 3600 }, 0.999, 1, null],
  ['half a window', { good: 1, total: 4, coveredSeconds: 1800 }, 0.25, 0.5, null],
  ['less than half', { good: 1, total: 4, coveredSeconds: 1799 }, null, 0.4997222222, 'no_data'],
  ['nothing', { good: 0, total: 0, coveredSeconds: 0 }, null, 0, 'no_data'],
  ['covered time without traffic', { good: 0, total: 0, coveredSeconds: 3600 }, null, 1, 'no_traffic'],
  ['less traffic than good', { good: 11, total: 10, coveredSeconds: 3600 }, 1, 1, null],
  ['more cover than window', { good: 0, total: 10, coveredSeconds: 3660 }, 0, 1, null],
] as const)('the SLI of %s', (_, measured, ratio, coverage, reason) => {
  expect(sliOfSum(measured, hour)).toEqual({ ratio, coverage, reason })
})
