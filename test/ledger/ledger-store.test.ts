import { beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  deleteBucketsBefore,
  type LedgerBucket,
  listBuckets,
  listStarts,
  putBuckets,
  sumRanges,
} from '../../src/ledger/ledger-store.ts'
import { emptyLedger, monday, bucket } from './ledger.ts'

const ledger = emptyLedger()
beforeEach(() => ledger.clear())

const put = (...buckets: LedgerBucket[]) => ledger.db.write.transaction().execute((trx) => putBuckets(trx, buckets))

const range = { sloId: 1, revision: 1, resolution: 60, startSeconds: monday, endSeconds: monday + 3600 } as const

test('buckets come back as they were written, oldest first, from the start on and before the end', async () => {
  const one = { good: 12.5, total: 17.25, coveredSeconds: 45, leadGood: 0.5, leadTotal: 1.5 }
  const at = (startSeconds: number) => bucket({ startSeconds, ...one })
  await put(at(monday + 3540), at(monday + 3600), at(monday), at(monday - 60))
  expect(await listBuckets(ledger.db.read, range)).toEqual([
    { startSeconds: monday, ...one },
    { startSeconds: monday + 3540, ...one },
  ])
})

test('of another SLO, revision or resolution nothing comes along', async () => {
  await put(bucket({ sloId: 2 }), bucket({ revision: 2 }), bucket({ resolution: 3600 }), bucket({ resolution: 86_400 }))
  expect(await listBuckets(ledger.db.read, range)).toEqual([])
  expect(await listStarts(ledger.db.read, [range])).toEqual([[]])
})

test('a slot measured again is replaced, never added to, in one writing and in many', async () => {
  const writes = fc.array(
    fc.array(fc.record({ slot: fc.nat({ max: 5 }), total: fc.nat({ max: 1000 }) }), { maxLength: 8 }),
    { maxLength: 5 },
  )
  await fc.assert(
    fc.asyncProperty(writes, async (batches) => {
      await ledger.clear()
      const latest = new Map<number, number>()
      for (const batch of batches) {
        await put(...batch.map(({ slot, total }) => bucket({ startSeconds: monday + slot * 60, good: total, total })))
        for (const { slot, total } of batch) latest.set(slot, total)
      }
      const total = [...latest.values()].reduce((sum, one) => sum + one, 0)
      const [sum] = await sumRanges(ledger.db.read, [range])
      expect(sum).toMatchObject({ good: total, total, coveredSeconds: latest.size * 60 })
    }),
    { numRuns: 50 },
  )
})

test('no number loses a bit', async () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  await fc.assert(
    fc.asyncProperty(fc.tuple(number, number, number, number), async ([good, total, leadGood, leadTotal]) => {
      await put(bucket({ good, total, leadGood, leadTotal }))
      const [read] = await listBuckets(ledger.db.read, range)
      // -0 equals 0
      expect([read?.good, read?.total, read?.leadGood, read?.leadTotal].map((one) => (one ?? NaN) + 0)).toEqual(
        [good, total, leadGood, leadTotal].map((one) => one + 0),
      )
    }),
  )
})

test('what is no number is refused, and nothing else is written with it', async () => {
  await expect(put(bucket({}), bucket({ startSeconds: monday + 60, good: NaN }))).rejects.toThrow('NOT NULL')
  await expect(put(bucket({}), bucket({ startSeconds: monday + 61 }))).rejects.toThrow('CHECK')
  expect(await listBuckets(ledger.db.read, range)).toEqual([])
})

test('starts and sums come in the order in which they were asked for', async () => {
  await put(
    bucket({ good: 1, total: 2, leadTotal: 1 }),
    bucket({ startSeconds: monday + 60, total: 4, leadTotal: 3 }),
    bucket({ sloId: 2, resolution: 3600, total: 8, leadTotal: 7 }),
  )
  const second = { ...range, startSeconds: monday + 60 }
  const never = { ...range, startSeconds: monday + 120 }
  const hour = { ...range, sloId: 2, resolution: 3600 } as const
  const ranges = [hour, never, second, range]
  expect(await listStarts(ledger.db.read, ranges)).toEqual([[monday], [], [monday + 60], [monday, monday + 60]])
  const sums = await sumRanges(ledger.db.read, ranges)
  expect(sums.map(({ total, coveredSeconds, leadTotal }) => [total, coveredSeconds, leadTotal])).toEqual([
    [8, 3600, 7],
    [0, 0, 0],
    [4, 60, 3],
    [6, 120, 1],
  ])
})

test('nothing asked for is nothing asked', async () => {
  await put()
  expect([await listStarts(ledger.db.read, []), await sumRanges(ledger.db.read, [])]).toEqual([[], []])
})

test('buckets of one length that are too old go from all SLOs, no more at once than the limit', async () => {
  const starts = [monday - 120, monday - 60, monday]
  await put(...[1, 2].flatMap((sloId) => starts.map((startSeconds) => bucket({ sloId, startSeconds }))))
  await put(bucket({ resolution: 3600, startSeconds: monday - 3600 }))
  const gone = () => deleteBucketsBefore(ledger.db.write, 60, monday, 3)
  expect([await gone(), await gone(), await gone()]).toEqual([3, 1, 0])
  const left = await ledger.db.read.selectFrom('buckets').select(['slo_id', 'resolution', 'start']).execute()
  expect(left).toEqual([
    { slo_id: 1, resolution: 60, start: monday },
    { slo_id: 1, resolution: 3600, start: monday - 3600 },
    { slo_id: 2, resolution: 60, start: monday },
  ])
})
