import { beforeAll, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import type { Bucket, Resolution } from '../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../src/ledger/ledger-store.ts'
import { type LedgerWindow, spansOf, storedPart } from '../../src/ledger/window-spans.ts'
import { createReadSums, sumWindows } from '../../src/ledger/window-sums.ts'
import type { WindowSum } from '../../src/slos/arithmetic/window-sum.ts'
import { seeded } from '../support/seeded.ts'
import { bucket, emptyLedger, monday } from './ledger.ts'

const lengths = [60, 3600, 86_400] as const
const span = 4 * 86_400
const nowSeconds = monday + span

const ledger = emptyLedger()

beforeAll(async () => {
  await ledger.clear()
  await ledger.db.write.transaction().execute((trx) => putBuckets(trx, fourDays()))
})

/** Buckets of two SLOs: sums of any size and sign, so that the order of addition affects the last bits; a tenth is missing. */
function fourDays(): LedgerBucket[] {
  const random = seeded(7)
  const anyNumber = () => (random() - 0.3) * 10 ** Math.floor(random() * 20)
  return [1, 2].flatMap((sloId) =>
    lengths.flatMap((resolution) =>
      Array.from({ length: span / resolution }, (_, n) => {
        const [good, total, leadGood, leadTotal] = [anyNumber(), anyNumber(), anyNumber(), anyNumber()]
        const coveredSeconds = random() < 0.1 ? 0 : resolution
        const startSeconds = monday + n * resolution
        return bucket({ sloId, resolution, startSeconds, good, total, leadGood, leadTotal, coveredSeconds })
      }).filter(() => random() < 0.9),
    ),
  )
}

test('more windows than one read has are summed in their order, also where some are shared', async () => {
  const windows = Array.from({ length: 1300 }, (_, n): LedgerWindow => {
    const startSeconds = monday + (n % 3 === 0 ? 0 : n * 60)
    return { sloId: 1 + (n % 2), revision: 1, startSeconds, endSeconds: startSeconds + 7200, keepsLead: n % 5 === 0 }
  })
  const plain = await Promise.all(windows.map(sumPlainly))
  expect(await sumWindows(ledger.db.read, windows, nowSeconds)).toEqual(plain)
})

test('sums of many windows at once are to the last bit those that SQLite adds up for each of their spans', async () => {
  const minutes = fc.nat({ max: span / 60 })
  const stepped = fc.record({ from: minutes, step: fc.constantFrom(1, 10, 60, 360, 1440), count: fc.nat({ max: 40 }) })
  const common = fc.record({ sloId: fc.constantFrom(1, 2), keepsLead: fc.boolean() })
  const oneStart = fc.tuple(common, stepped, fc.boolean()).map(([of, { from, step, count }, areJoined]) =>
    Array.from({ length: count }, (_, n): LedgerWindow => {
      const end = (Math.floor(from / step) + n + 1) * step
      const start = areJoined ? from : Math.max(from, end - step)
      return { ...of, revision: 1, startSeconds: monday + start * 60, endSeconds: monday + end * 60 }
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(oneStart, { maxLength: 4 }), async (lists) => {
      const windows = lists.flat()
      const plain = await Promise.all(windows.map(sumPlainly))
      expect(await sumWindows(ledger.db.read, windows, nowSeconds)).toEqual(plain)
      const read = createReadSums()
      for (const some of lists) await sumWindows(ledger.db.read, some, nowSeconds, read)
      expect(await sumWindows(ledger.db.read, windows, nowSeconds, read)).toEqual(plain)
    }),
    { numRuns: 60 },
  )
})

/** Sum of one window with one statement per span. */
async function sumPlainly({ sloId, keepsLead, ...window }: LedgerWindow): Promise<WindowSum> {
  const [days, hours] = [await startsOf(sloId, 86_400), await startsOf(sloId, 3600)]
  const sum = { good: 0, total: 0, coveredSeconds: 0 }
  for (const { resolution, startSeconds, endSeconds } of spansOf(storedPart(window, nowSeconds), { days, hours })) {
    const inSpan = sql`slo_id = ${sloId} and revision = 1 and resolution = ${resolution} and start >= ${startSeconds}
      and start < ${endSeconds}`
    const { rows } = await sql<Bucket>`
      select coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total,
        coalesce(sum(covered_seconds), 0) as coveredSeconds
      from buckets where ${inSpan}`.execute(ledger.db.read)
    const { rows: first } = await sql<Bucket>`
      select lead_good as leadGood, lead_total as leadTotal from buckets where ${inSpan} and covered_seconds > 0
      order by start limit 1`.execute(ledger.db.read)
    const { good = 0, total = 0, coveredSeconds = 0 } = rows[0] ?? {}
    const leads = !keepsLead && sum.coveredSeconds === 0 ? first[0] : undefined
    sum.good += leads ? good - leads.leadGood : good
    sum.total += leads ? total - leads.leadTotal : total
    sum.coveredSeconds += coveredSeconds
  }
  return { ...sum, good: Math.max(0, sum.good), total: Math.max(0, sum.total) }
}

async function startsOf(sloId: number, resolution: Resolution): Promise<Set<number>> {
  const { rows } = await sql<{ start: number }>`
    select start from buckets where slo_id = ${sloId} and revision = 1 and resolution = ${resolution}`.execute(
    ledger.db.read,
  )
  return new Set(rows.map(({ start }) => start))
}
