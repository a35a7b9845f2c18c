import { beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { minutesKeptSeconds, type Resolution } from '../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../src/ledger/ledger-store.ts'
import { putBucketsAndCache } from '../../src/ledger/memory/cache-minutes.ts'
import { ledgerCacheOf } from '../../src/ledger/memory/ledger-cache.ts'
import { RecentMinutes } from '../../src/ledger/memory/recent-minutes.ts'
import { listReaches } from '../../src/ledger/reach-store.ts'
import { sumWindows } from '../../src/ledger/window-sums.ts'
import { errorBudget, windowBudget } from '../../src/slos/arithmetic/budget.ts'
import { existingShare, type Reach } from '../../src/slos/arithmetic/reach.ts'
import { sliOfSum } from '../../src/slos/arithmetic/window-sum.ts'
import { bucket, emptyLedger, monday } from './ledger.ts'

const minute = 60
const hour = 3600
const day = 86_400

const ledger = emptyLedger()
const slo = { sloId: 1, revision: 1 }
beforeEach(async () => {
  await ledger.clear()
  await setBackfill({ status: 'done', ends_at: monday, chunks_done: 15 })
})

const put = (buckets: LedgerBucket[]) => ledger.db.write.transaction().execute((trx) => putBuckets(trx, buckets))
const reach = async () => (await listReaches(ledger.db.read, [slo], monday + day))[0]

type Backfill = { status: 'done' | 'running' | 'failed'; ends_at: number; chunks_done: number; is_past_known?: number }

async function setBackfill(changes: Backfill) {
  await ledger.db.write
    .updateTable('backfills')
    .set({ is_past_known: 0, ...changes })
    .where('slo_id', '=', 1)
    .execute()
}

const at = (startSeconds: number, resolution: Resolution = 60, coveredSeconds: number = resolution) =>
  bucket({ startSeconds, resolution, coveredSeconds, good: 1, total: 1 })

test('the first sample lies in the first bucket with data, as exact as the ledger knows it', async () => {
  expect(await reach()).toMatchObject({ firstSeconds: null })
  const first = monday + 13 * hour + 47 * minute
  await put([at(monday + minute, 60, 0), at(first), at(first + minute)])
  expect(await reach()).toMatchObject({ firstSeconds: first })
  await put([at(monday + 13 * hour, hour, 780), at(monday, day, 11 * hour)])
  expect(await reach()).toMatchObject({ firstSeconds: first })
  await put([at(monday - 5 * hour, hour)])
  expect(await reach()).toMatchObject({ firstSeconds: monday - 5 * hour })
  await put([at(monday - 40 * day, day)])
  expect(await reach()).toMatchObject({ firstSeconds: monday - 40 * day })
})

test('the first sample is known anew once its minute has been measured again', async () => {
  const { db } = ledger
  const first = monday + 13 * hour
  const end = first + 2 * minute
  const cached = async () => (await listReaches(db.read, [slo], end, ledgerCacheOf(db)))[0]
  ledgerCacheOf(db).add(slo, new RecentMinutes(first, first), first)
  await putBucketsAndCache(db, [at(first)])
  expect(await cached()).toMatchObject({ firstSeconds: first })
  await putBucketsAndCache(db, [at(first, 60, 30), at(first + minute)])
  expect(await cached()).toMatchObject({ firstSeconds: first + 30 })
})

test('the first sample stays as exact as it was known when its minutes have been deleted', async () => {
  const { db } = ledger
  const first = monday - minutesKeptSeconds + 17 * minute
  const state = {
    slo_id: 1,
    organization_id: 1,
    revision: 1,
    status: 'healthy',
    evaluated_at: 0,
    burn_rates: '[]',
  } as const
  await put([at(Math.floor(first / hour) * hour, hour), at(monday)])
  await db.write
    .insertInto('slo_states')
    .values({ ...state, first_sample_at: 1000 * first })
    .execute()
  expect(await reach()).toMatchObject({ firstSeconds: first })
  await db.write.deleteFrom('slo_states').execute()
})

test.each<[string, Parameters<typeof setBackfill>[0], number, number | null]>([
  ['before a backfill is done', { status: 'running', ends_at: monday, chunks_done: 1 }, 24 * hour, null],
  ['within what a backfill has brought', { status: 'running', ends_at: monday, chunks_done: 1 }, 6 * hour, 0.5 / 6],
  ['within what was measured before it', { status: 'running', ends_at: monday, chunks_done: 0 }, hour, 0.5],
  ['of a backfill that failed', { status: 'failed', ends_at: monday, chunks_done: 0 }, 24 * hour, 1],
  [
    'within what a failed backfill had brought',
    { status: 'failed', ends_at: monday, chunks_done: 2 },
    20 * hour,
    0.5 / 20,
  ],
  [
    'of a backfill that only fills a gap',
    { status: 'running', ends_at: monday, chunks_done: 0, is_past_known: 1 },
    24 * hour,
    0.5 / 24,
  ],
  ['of a backfill that is done', { status: 'done', ends_at: monday, chunks_done: 15 }, 24 * hour, 0.5 / 24],
])('the share of a window %s', async (_, backfill, seconds, share) => {
  await put([at(monday - 30 * minute)])
  await setBackfill(backfill)
  const known = await reach()
  expect(known && existingShare(known, monday - seconds, monday)).toEqual(
    share === null ? null : expect.closeTo(share, 10),
  )
})

test('a window that begins with the first sample, or later, exists whole, whatever a backfill does', () => {
  const filling: Reach = { firstSeconds: monday, completeFromSeconds: monday + hour, isFilling: true }
  expect(existingShare(filling, monday, monday + day)).toBe(1)
  expect(existingShare(filling, monday + 60, monday + day)).toBe(1)
  expect(existingShare(filling, monday - 60, monday + day)).toBeNull()
})

test('window_percent_used never falls in a gap, and is percentage_used once the window exists', async () => {
  const target = 99
  const measuredMinute = fc.record({
    isGap: fc.boolean(),
    total: fc.nat({ max: 100 }),
    badShare: fc.constantFrom(0, 0, 0.02, 0.5, 1),
  })
  const history = fc.record({
    minutes: fc.array(measuredMinute, { minLength: 2, maxLength: 90 }),
    startMinute: fc.nat({ max: 59 }),
  })
  const used = async (endSeconds: number) => {
    const startSeconds = endSeconds - hour
    const [sum] = await sumWindows(ledger.db.read, [{ ...slo, startSeconds, endSeconds }], endSeconds)
    const [known] = await listReaches(ledger.db.read, [slo], endSeconds)
    if (!sum || !known) throw new Error('an SLO has a sum')
    const existing = existingShare(known, startSeconds, endSeconds)
    const ratio = sum.total > 0 ? sliOfSum({ ...sum, coveredSeconds: hour }, hour).ratio : null
    const { percentageUsed } = errorBudget(ratio === null ? null : 100 * ratio, target)
    const { usedPercent } = windowBudget(percentageUsed, target, { windowShare: existing, countsEvents: true })
    return { existing, percentageUsed, usedPercent }
  }
  await fc.assert(
    fc.asyncProperty(history, async ({ minutes, startMinute }) => {
      await ledger.clear()
      const first = monday + startMinute * minute
      let before = await used(first)
      for (const [place, { isGap, total, badShare }] of minutes.entries()) {
        const startSeconds = first + place * minute
        const isMissing = isGap && place > 0
        const bad = Math.round(total * badShare)
        if (!isMissing) await put([bucket({ startSeconds, good: total - bad, total })])
        const now = await used(startSeconds + minute)
        expect(now.existing).toBeCloseTo(Math.min(1, (place + 1) / 60), 10)
        if (now.existing === 1) expect(now.usedPercent).toBe(now.percentageUsed)
        else if (isMissing) expect(now.usedPercent ?? 0).toBeGreaterThanOrEqual(before.usedPercent ?? 0)
        before = now
      }
    }),
    { numRuns: 40 },
  )
})
