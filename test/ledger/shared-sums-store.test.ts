import { afterEach, beforeEach, expect, test } from 'bun:test'
import { overview } from '../../src/insight/overview.ts'
import { type Bucket, day, hour, type Resolution } from '../../src/ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../src/ledger/ledger-store.ts'
import type { LedgerWindow } from '../../src/ledger/window-spans.ts'
import { createReadSums, sumWindows } from '../../src/ledger/window-sums.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countingReads } from '../support/counting-reads.ts'
import { evaluation, put, testStartSeconds } from '../support/evaluations.ts'
import { seeded } from '../support/seeded.ts'
import { checkout } from '../support/slo-calls.ts'

const nowSeconds = testStartSeconds
const today = Math.floor(nowSeconds / day) * day
const sloIds = Array.from({ length: 12 }, (_, at) => at + 1)
const timeWindows = ['1h', '24h', '7d', '30d', '90d'] as const

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
  for (const id of sloIds) {
    const slo = { ...checkout, name: `SLO ${id}`, target: 99, time_window: timeWindows[id % 5] }
    await nines.call('POST', '/api/v1/slos', slo)
  }
})
afterEach(() => nines.close())

/**
 * Days, hours and minutes up to now, each the sum of finer buckets. Hours of some SLOs are closed later than of others or
 * missing; buckets are missing, cover a part, have no traffic, or are of another revision.
 */
function history(random: () => number): LedgerBucket[] {
  return sloIds.flatMap((sloId) => {
    const badness = sloId % 3 === 0 ? 0.05 : 0.004
    const some = (length: Resolution, from: number, to: number) =>
      Array.from({ length: (to - from) / length }, (_, n): Bucket => {
        const total = random() < 0.02 ? 0 : random() * length
        const good = total * (1 - badness * random() * (random() < 0.02 ? 40 : 1))
        const coveredSeconds = [0, length / 2][Math.floor(random() * 60)] ?? length
        return {
          startSeconds: from + n * length,
          good,
          total,
          coveredSeconds,
          leadGood: good / 9,
          leadTotal: total / 9,
        }
      })
    const sums = (length: Resolution, finer: Bucket[], from: number, to: number) =>
      Array.from({ length: (to - from) / length }, (_, n) => sumOf(finer, from + n * length, length))
    const minutes = some(60, today - day, nowSeconds)
    const hours = [...some(hour, today - 34 * day, today - day), ...sums(hour, minutes, today - day, nowSeconds)]
    const days = [...some(day, today - 95 * day, today - 34 * day), ...sums(day, hours, today - 34 * day, today)]
    const closedUntil = nowSeconds - hour * Math.floor(3 * random())
    const isStored = ({ startSeconds }: Bucket) =>
      startSeconds < closedUntil && (sloId % 4 > 0 || random() > 0.2 || startSeconds < today - day)
    const of = (resolution: Resolution, buckets: Bucket[]) =>
      buckets.map((bucket) => ({ ...bucket, sloId, revision: sloId === 7 ? 2 : 1, resolution }))
    const yesterdayLacks = sloId % 5 === 0
    return [
      ...of(60, minutes),
      ...of(hour, hours.filter(isStored)),
      ...of(day, yesterdayLacks ? days.slice(0, -1) : days),
    ]
  })
}

function sumOf(buckets: Bucket[], startSeconds: number, length: number): Bucket {
  const inside = buckets.filter((one) => one.startSeconds >= startSeconds && one.startSeconds < startSeconds + length)
  const first = inside.find(({ coveredSeconds }) => coveredSeconds > 0)
  const sum = {
    startSeconds,
    good: 0,
    total: 0,
    coveredSeconds: 0,
    leadGood: first?.leadGood ?? 0,
    leadTotal: first?.leadTotal ?? 0,
  }
  for (const { good, total, coveredSeconds } of inside) {
    sum.good += good
    sum.total += total
    sum.coveredSeconds += coveredSeconds
  }
  return sum
}

test.each([1, 2, 3])('sums of windows that SLOs share are to the last bit those of each (seed %p)', async (seed) => {
  const random = seeded(seed)
  await putBuckets(nines.app.db.write, history(random))
  const minutesBack = () => Math.floor(random() * 60)
  const shared = Array.from({ length: 12 }, () => {
    const endSeconds = nowSeconds - 60 * minutesBack() * (random() < 0.5 ? 0 : 60)
    const starts = [today, endSeconds - day, endSeconds - hour, endSeconds - 60 * minutesBack(), today - 3 * day]
    return { startSeconds: starts[Math.floor(random() * 5)] ?? 0, endSeconds, keepsLead: random() < 0.5 }
  })
  const windows = shared.flatMap((window): LedgerWindow[] =>
    sloIds.map((sloId) => ({ ...window, sloId, revision: sloId === 9 ? 2 : 1 })),
  )
  const own = sloIds.map((sloId) => ({ sloId, revision: 1, startSeconds: today + 60 * sloId, endSeconds: nowSeconds }))
  const all = [...windows, ...own]
  const sums = await sumWindows(nines.app.db.read, all, nowSeconds, createReadSums(2))
  expect(sums).toEqual(await sumWindows(nines.app.db.read, all, nowSeconds))
})

test.each([1, 2, 3])('an overview says what each SLO says by itself (seed %p)', async (seed) => {
  const { app } = nines
  const random = seeded(seed)
  await putBuckets(app.db.write, history(random))
  await put(
    app.db.write,
    ...sloIds.map((sloId) => {
      const own = sloId % 3 === 0 ? 97 : 99.6
      return evaluation({ sloId, own, budgetUsed: (100 - own) * 100, burnRates: [], evaluatedAtMs: app.clock.now() })
    }),
  )
  const rows = await overview(app, 1, createReadSums(2))
  for (const { slo, days, exhaustsAtMs } of rows) {
    const plain = await Promise.all(
      Array.from({ length: 30 }, async (_, place) =>
        usedOfDay(slo.id, slo.revision, today - (29 - place) * day, slo.target),
      ),
    )
    expect([slo.id, days]).toEqual([slo.id, plain])
    const { forecast, burn_down: burnDown } = (await nines.call('GET', `/api/v1/slos/${slo.id}/budget`)).body
    const gone = burnDown.find(
      ({ remaining_percent: left }: { remaining_percent: number | null }) => left !== null && left <= 0,
    )
    const expected = slo.id % 3 === 0 ? gone?.timestamp : forecast?.exhausts_at
    if (expected) expect([slo.id, new Date(exhaustsAtMs ?? 0).toISOString()]).toEqual([slo.id, expected])
  }
  expect(rows.some(({ exhaustsAtMs }) => exhaustsAtMs !== null)).toBe(true)
})

/** The bucket of the day; for the last two days without one, the sum of finer buckets. */
async function usedOfDay(
  sloId: number,
  revision: number,
  startSeconds: number,
  target: number,
): Promise<number | null> {
  const { read } = nines.app.db
  const of = read.selectFrom('buckets').select(['good', 'total', 'covered_seconds as coveredSeconds'])
  const bucket = await of
    .where('slo_id', '=', sloId)
    .where('revision', '=', revision)
    .where('resolution', '=', day)
    .where('start', '=', startSeconds)
    .executeTakeFirst()
  const endSeconds = Math.min(startSeconds + day, nowSeconds)
  const isOpen = startSeconds >= today - day && endSeconds > startSeconds
  const [sum] =
    bucket || !isOpen ? [bucket] : await sumWindows(read, [{ sloId, revision, startSeconds, endSeconds }], nowSeconds)
  if (!sum || sum.coveredSeconds === 0) return null
  const bad = Math.max(0, sum.total - sum.good)
  if (bad === 0) return 0
  const allowed = sum.total * (1 - target / 100)
  return allowed === 0 ? 100 : Number(((100 * bad) / allowed).toFixed(2))
}

test('a budget that clearly lasts is not looked for in the ledger, unless its SLO has been edited since', async () => {
  const { app } = nines
  await putBuckets(app.db.write, history(seeded(1)))
  const statements = async (long: number | null) => {
    const [first] = evaluation().burnRates
    const burnRates = first ? [hour, day].map((long_seconds) => ({ ...first, long_seconds, long })) : []
    const evaluatedAtMs = app.clock.now() + 1
    const slos = await app.db.read.selectFrom('slos').select(['id', 'updated_at']).execute()
    const found = slos.map(({ id, updated_at }) =>
      evaluation({ sloId: id, sloUpdatedAtMs: updated_at, budgetUsed: 20, burnRates, evaluatedAtMs }),
    )
    await put(app.db.write, ...found)
    return statementsOfOne()
  }
  const statementsOfOne = async () => {
    const { db: read, count } = countingReads(app.db.read)
    await overview({ ...app, db: { ...app.db, read } }, 1, createReadSums(2))
    return count.statements
  }
  const looking = await statements(null)
  const notLooking = await statements(0.1)
  expect(notLooking).toBeLessThan(looking)
  nines.clock.advance(2)
  for (const id of sloIds) await nines.call('PUT', `/api/v1/slos/${id}`, { target: 99.5 })
  expect(await statementsOfOne()).toBe(looking)
})
