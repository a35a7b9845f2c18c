import { beforeEach, expect, test } from 'bun:test'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../src/db/tables/tables.ts'
import { recordSteps, stepOf } from '../../src/ledger/backfill/steps.ts'
import { type Bucket, type Resolution, withoutBreaks } from '../../src/ledger/bucket.ts'
import { listBackfillsToDo, startBackfill } from '../../src/slos/backfills/store.ts'
import { deleteBucketsBefore, type LedgerBucket, sumMinutes } from '../../src/ledger/ledger-store.ts'
import { LedgerCache, ledgerCacheOf } from '../../src/ledger/memory/ledger-cache.ts'
import { putBucketsAndCache, cacheRecentMinutes } from '../../src/ledger/memory/cache-minutes.ts'
import { RecentMinutes, recentMinutes } from '../../src/ledger/memory/recent-minutes.ts'
import { createReadSums, sumWindows } from '../../src/ledger/window-sums.ts'
import { planSli } from '../../src/sli/plan/plan.ts'
import { getSlo } from '../../src/slos/store.ts'
import { seeded } from '../support/seeded.ts'
import { bucket, emptyLedger, monday } from './ledger.ts'

const [minute, hour, day] = [60, 3600, 86_400] as const
const lengths = [5 * minute, 30 * minute, hour, 2 * hour, 6 * hour, day, 3 * day, 30 * day]

const ledger = emptyLedger()
beforeEach(async () => {
  await ledger.clear()
  ledgerCacheOf(ledger.db).invalidate([1, 2])
})

/** Sums of any size and sign, so that the order of addition affects the last bits. */
function anyBuckets(random: () => number) {
  const anyNumber = () => (random() - 0.3) * 10 ** Math.floor(random() * 12)
  return (resolution: Resolution, startSeconds: number, sloId = 1): LedgerBucket => {
    const [good, total, leadGood, leadTotal] = [anyNumber(), anyNumber(), anyNumber(), anyNumber()]
    const coveredSeconds = random() < 0.1 ? 0 : resolution
    return bucket({ sloId, resolution, startSeconds, good, total, leadGood, leadTotal, coveredSeconds })
  }
}

async function planned() {
  const slos = [await getSlo(ledger.db.read, 1, 1), await getSlo(ledger.db.read, 1, 2)]
  return slos.map((slo) => ({ slo, plan: planSli(slo) }))
}

const windowsAt = (at: number, of = lengths) =>
  [1, 2].flatMap((sloId) => of.map((seconds) => ({ sloId, revision: 1, startSeconds: at - seconds, endSeconds: at })))

/** Sums both ways; returns the number of statements with the memory. */
async function sumBothWays(at: number, of = lengths) {
  let statements = 0
  const counted = ledger.db.read.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  const remembered = await sumWindows(counted, windowsAt(at, of), at, createReadSums(), ledgerCacheOf(ledger.db))
  expect(remembered).toEqual(await sumWindows(ledger.db.read, windowsAt(at, of), at))
  return statements
}

test('what is remembered is to the last bit what is stored, whatever writes, from one minute to the next', async () => {
  const random = seeded(11)
  const anyBucket = anyBuckets(random)
  const { db } = ledger
  const slos = await planned()
  const past = Array.from({ length: 80 * 60 }, (_, n) => anyBucket(minute, monday - (n + 1) * minute))
  const hours = Array.from({ length: 79 }, (_, n) => anyBucket(hour, monday - (n + 2) * hour))
  const days = Array.from({ length: 3 }, (_, n) => anyBucket(day, monday - (n + 1) * day))
  await putBucketsAndCache(db, [...past, ...hours, ...days])
  await db.write.transaction().execute(async (trx) => {
    for (const { slo } of slos) await startBackfill(trx, slo, 1000 * (monday + 30 * minute))
  })
  for (let at = monday; at < monday + 5 * hour; at += minute) {
    await cacheRecentMinutes(db, slos, at)
    const again = [1, 2].flatMap((sloId) => [3, 2, 1].map((back) => anyBucket(minute, at - back * minute, sloId)))
    await putBucketsAndCache(
      db,
      again.filter(() => random() < 0.9),
    )
    await sumBothWays(at)
    const what = Math.floor(random() * 12)
    const lastHour = Math.floor(at / hour) * hour - hour
    if (what === 0) {
      const late = Array.from({ length: 60 }, (_, n) => anyBucket(minute, lastHour + n * minute))
      await putBucketsAndCache(db, [...late, anyBucket(hour, lastHour), anyBucket(day, monday - day)])
    } else if (what === 1) await backfillSome(anyBucket)
    else if (what === 2) {
      const before = at - Math.floor(random() * 4) * hour
      await deleteBucketsBefore(db.write, hour, before - 40 * hour, 10_000)
      ledgerCacheOf(db).noteDeletedBefore(hour, before - 40 * hour)
      await deleteBucketsBefore(db.write, minute, before, 10_000)
      ledgerCacheOf(db).noteDeletedBefore(minute, before)
    } else if (what === 3) {
      const refused = putBucketsAndCache(db, [anyBucket(minute, at - minute), anyBucket(60, at - 30)])
      await expect(refused).rejects.toThrow('CHECK')
    } else if (what === 4) at += minute * Math.floor(random() * 15)
    else if (what === 5) at -= minute
    await sumBothWays(at)
  }
})

/** Runs one backfill step for each SLO, with the missing buckets. */
async function backfillSome(anyBucket: ReturnType<typeof anyBuckets>): Promise<void> {
  for (const slo of await listBackfillsToDo(ledger.db.read, 10, [])) {
    const step = stepOf(slo, 90)
    const { resolution, startSeconds, endSeconds } = step.span
    const count = (endSeconds - startSeconds) / resolution
    const buckets: Bucket[] = Array.from({ length: count }, (_, n) =>
      anyBucket(resolution, startSeconds + n * resolution, slo.id),
    )
    const recorded = { ...step, countsEvents: slo.id % 2 === 0 }
    await recordSteps(ledger.db, [{ step: recorded, measured: withoutBreaks(buckets) }], 0)
  }
}

test('in the next minute nothing is read of an SLO without a past', async () => {
  const slos = await planned()
  const anyBucket = anyBuckets(seeded(3))
  const put = (at: number) =>
    putBucketsAndCache(ledger.db, [anyBucket(minute, at - minute), anyBucket(minute, at - minute, 2)])
  const at = monday + 10 * minute
  await cacheRecentMinutes(ledger.db, slos, at)
  await put(at)
  expect(await sumBothWays(at)).toBeGreaterThan(0)
  await put(at + minute)
  expect(await sumBothWays(at + minute)).toBe(0)
  // nothing is cached for minutes that were not evaluated
  expect(await sumBothWays(at + 20 * minute)).toBeGreaterThan(0)
})

test('what was read for some windows stays as windows with other bounds are read', async () => {
  const slos = await planned()
  const anyBucket = anyBuckets(seeded(4))
  const hours = Array.from({ length: 30 }, (_, n) => anyBucket(hour, monday - (n + 2) * hour))
  await putBucketsAndCache(ledger.db, hours)
  const at = monday + 10 * minute
  await cacheRecentMinutes(ledger.db, slos, at)
  await putBucketsAndCache(ledger.db, [anyBucket(minute, at - minute), anyBucket(minute, at - minute, 2)])
  await sumBothWays(at, lengths)
  await sumBothWays(at, [9 * hour, 20 * hour])
  await putBucketsAndCache(ledger.db, [anyBucket(minute, at), anyBucket(minute, at, 2)])
  expect(await sumBothWays(at + minute, lengths)).toBe(0)
})

test('what another revision measured, or what lies in the future, is not remembered', async () => {
  const slos = await planned()
  const memory = ledgerCacheOf(ledger.db)
  await cacheRecentMinutes(ledger.db, slos, monday)
  expect(memory.find({ sloId: 1, revision: 1 }, monday)).toBeDefined()
  expect(memory.find({ sloId: 1, revision: 2 }, monday)).toBeUndefined()
  expect(memory.find({ sloId: 2, revision: 1 }, monday - minute)).toBeUndefined()
})

test('what was read before another write is not remembered after it', async () => {
  const memory = ledgerCacheOf(ledger.db)
  const [one] = await planned()
  if (!one) throw new Error('must be an SLO')
  const reading = cacheRecentMinutes(ledger.db, [one], monday)
  memory.invalidate([1])
  await reading
  expect(memory.find({ sloId: 1, revision: 1 }, monday)).toBeUndefined()
})

test('what is remembered as it is measured again is not written', async () => {
  const changes = async () => {
    const { rows } = await sql<{ n: number }>`select total_changes() as n`.execute(ledger.db.write)
    return rows[0]?.n ?? NaN
  }
  await cacheRecentMinutes(ledger.db, await planned(), monday)
  const minutes = [1, 2, 3].map((n) => bucket({ startSeconds: monday - n * minute, good: n, total: 9 }))
  const before = await changes()
  await putBucketsAndCache(ledger.db, minutes)
  expect((await changes()) - before).toBe(3)
  await ledger.db.write
    .deleteFrom('buckets')
    .where('start', '=', monday - minute)
    .execute()
  await putBucketsAndCache(ledger.db, minutes)
  expect((await changes()) - before).toBe(4) // the deleted one, which is cached
  for (const field of ['good', 'total', 'leadGood', 'leadTotal', 'coveredSeconds'] as const) {
    const [first, ...others] = minutes
    if (first) await putBucketsAndCache(ledger.db, [{ ...first, [field]: 5 }, ...others])
    await sumBothWays(monday)
  }
  await Promise.all([putBucketsAndCache(ledger.db, minutes), putBucketsAndCache(ledger.db, minutes)])
  await sumBothWays(monday)
})

test('what was not committed is not remembered', async () => {
  const { db } = ledger
  const transaction = () => {
    const execute = (work: (trx: Transaction<Tables>) => Promise<unknown>) =>
      db.write.transaction().execute(async (trx) => {
        await work(trx)
        throw new Error('disk full')
      })
    return { execute }
  }
  const full = { ...db, write: Object.assign(Object.create(db.write), { transaction }) }
  await cacheRecentMinutes(full, await planned(), monday)
  const known = () => ledgerCacheOf(full).find({ sloId: 1, revision: 1 }, monday)
  expect(known()).toBeDefined()
  await expect(putBucketsAndCache(full, [bucket({ startSeconds: monday - minute })])).rejects.toThrow('disk full')
  expect(known()).toBeUndefined()
})

test('of minutes only the newest are kept, and a sum that begins before them is not known', async () => {
  const recent = new RecentMinutes(monday, monday)
  const put = (n: number) => bucket({ startSeconds: monday + n * minute, good: 1, total: 2 })
  for (let n = 0; n < recentMinutes; n += 1) recent.put(put(n))
  expect(recent.sum(monday, monday + day)).toMatchObject({ good: recentMinutes, total: 2 * recentMinutes })
  recent.put(put(recentMinutes + 1))
  expect(recent.sum(monday, monday + day)).toBeUndefined()
  expect(recent.sum(monday + 2 * minute, monday + day)?.good).toBe(recentMinutes - 1)
  expect(recent.minuteSum(monday + 2 * minute, monday + day)?.minutes).toBe(recentMinutes - 1)
})

test('what was gained is what the minutes are', async () => {
  const anyBucket = anyBuckets(seeded(5))
  const slos = await planned()
  await cacheRecentMinutes(ledger.db, slos, monday)
  await putBucketsAndCache(
    ledger.db,
    [1, 2, 4, 7].map((n) => anyBucket(minute, monday - n * minute)),
  )
  const from = [0, 1, 3, 9].map((n) => ({ sloId: 1, revision: 1, startSeconds: monday - n * minute }))
  const known = ledgerCacheOf(ledger.db).find({ sloId: 1, revision: 1 }, monday)
  const stored = await sumMinutes(ledger.db.read, from, monday)
  expect(from.map(({ startSeconds }) => known?.minutes.minuteSum(startSeconds, monday))).toEqual(stored)
})

test('only so many SLOs are remembered, and those that are evaluated no more make room', () => {
  const memory = new LedgerCache()
  const remember = (sloId: number, at: number) =>
    memory.add({ sloId, revision: 1 }, new RecentMinutes(at, Infinity), at)
  for (let id = 1; id <= 10_001; id += 1) remember(id, monday)
  expect(memory.hasRoom(monday)).toBe(false)
  expect(memory.find({ sloId: 10_001, revision: 1 }, monday)).toBeUndefined()
  remember(10_001, monday + hour)
  expect(memory.find({ sloId: 10_001, revision: 1 }, monday + hour)).toBeDefined()
  expect(memory.hasRoom(monday + hour)).toBe(true)
})
