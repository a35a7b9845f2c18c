import { expect, test } from 'bun:test'
import { putBuckets } from '../../../src/ledger/ledger-store.ts'
import { createBackfills } from '../../../src/ledger/backfill/backfill.ts'
import type { Resolution } from '../../../src/ledger/bucket.ts'
import { measureLedger } from '../../../src/ledger/measure/measure-ledger.ts'
import type { PlannedSlo } from '../../../src/sli/plan/plan.ts'
import { startBackfill } from '../../../src/slos/backfills/store.ts'
import { testStartMs } from '../../support/app.ts'
import { countedSlo } from '../../support/counting-source.ts'
import { type SampledSeries, sampledSource } from '../../support/sampled-source.ts'
import { measuring } from '../measuring.ts'

const on = measuring()
const now = testStartMs / 1000
const [minute, hour, day] = [60, 3600, 86_400]

/** Samples of one event a second for five days, one in four bad, scraped every 15 s; without the late samples. */
function shop(isLate: (agoSeconds: number) => boolean): SampledSeries[] {
  return ['200', '500'].map((code) => {
    const agos = Array.from({ length: (5 * day) / 15 }, (_, n) => 5 * day - n * 15 - 8)
    const rate = code === '500' ? 0.25 : 0.75
    const samples = agos
      .filter((ago) => !isLate(ago))
      .map((ago) => ({ atMs: (now - ago) * 1000, value: (5 * day - ago) * rate }))
    return { labels: { __name__: 'requests_total', service: 'shop', code }, samples }
  })
}

async function backfillFrom(series: SampledSeries[], slo: PlannedSlo): Promise<void> {
  const { app } = on.nines
  const source = sampledSource(series)
  await startBackfill(app.db.write, slo.slo, now * 1000)
  const planner = { ...app.planner, verify: async (_source: unknown, slos: PlannedSlo[]) => slos }
  const measure = (
    _: unknown,
    ...asked: Parameters<typeof measureLedger> extends [unknown, ...infer Rest] ? Rest : never
  ) => measureLedger(source, ...asked)
  await createBackfills({ ...app, planner, config: { retentionDays: 6 } }, measure).run()
}

async function sumOf(slo: PlannedSlo, resolution: Resolution, fromAgo: number, untilAgo = 0) {
  const buckets = await on.buckets(slo, resolution, now - fromAgo)
  const inside = buckets.filter(({ startSeconds }) => startSeconds < now - untilAgo)
  return inside.reduce((sum, { good, total }) => ({ bad: sum.bad + total - good, total: sum.total + total }), {
    bad: 0,
    total: 0,
  })
}

test.each([
  ['of two hours, a few hours ago', 6.3 * hour, 4.2 * hour],
  ['of ten minutes', 3 * hour + 10 * minute, 3 * hour],
  ['across the bounds of two chunks', 14 * hour, 10 * hour],
  ['of a day', 30 * hour, 6.2 * hour],
  ['of which only a part comes later', 6.3 * hour, 4.2 * hour],
  ['of a day, of which only a part comes later', 30 * hour, 6.2 * hour],
])('what was counted in a gap %s, is counted once when its samples come late', async (name, from, until) => {
  const slo = await on.create({ ...countedSlo('shop'), metric_query: null })
  await backfillFrom(
    shop((ago) => ago <= from && ago > until),
    slo,
  )
  const around = Math.ceil(from / hour + 2) * hour
  for (const resolution of [60, 3600] as const) {
    const before = await sumOf(slo, resolution, around)
    expect(before.total).toBeWithin(around - 60, around + 60) // the minute after the gap contains its whole increase
  }
  const stillMissing = name.includes('part') ? (ago: number) => ago <= from && ago > (from + until) / 2 : () => false
  await backfillFrom(shop(stillMissing), slo)
  for (const resolution of [60, 3600] as const) {
    const after = await sumOf(slo, resolution, around)
    expect(after.total).toBeWithin(around - 60, around + 60)
    expect(after.bad / after.total).toBeCloseTo(0.25, 3)
  }
  const minutes = await on.buckets(slo, 60, now - around)
  const max = Math.max(...minutes.map(({ total }) => total))
  if (name.includes('part')) expect(max).toBeLessThan((from - until) / 2 + 120)
  else expect(max).toBe(60)
})

test('a minute of which only a part had been sent counts the rest too, once it comes late', async () => {
  const slo = await on.create({ ...countedSlo('shop'), metric_query: null })
  const [from, until] = [3 * hour + 9 * minute + 40, 3 * hour + 25]
  await backfillFrom(
    shop((ago) => ago <= from && ago > until),
    slo,
  )
  await backfillFrom(
    shop(() => false),
    slo,
  )
  const buckets = await on.buckets(slo, 60, now - 4 * hour)
  const around = buckets.filter(({ startSeconds }) => startSeconds < now - 2 * hour)
  expect(around.map(({ good, total }) => [good, total])).toEqual(around.map(() => [45, 60]))
  expect(await sumOf(slo, 3600, 4 * hour)).toEqual({ bad: hour, total: 4 * hour })
})

test('a day that has ended counts a few minutes that come late, as its hours do', async () => {
  const slo = await on.create({ ...countedSlo('shop'), metric_query: null })
  const midnight = now - (now % day)
  const silentFrom = now - midnight + 9 * minute + 40
  await backfillFrom(
    shop((ago) => ago <= silentFrom),
    slo,
  )
  await backfillFrom(
    shop(() => false),
    slo,
  )
  const yesterday = await sumOf(slo, 86_400, now - midnight + day, now - midnight)
  expect(yesterday).toEqual({ bad: day / 4, total: day })
})

test('an hour that had counted a gap as its lead gives it back when the hours before it are known', async () => {
  const slo = await on.create({ ...countedSlo('shop'), metric_query: null })
  const whose = { sloId: slo.slo.id, revision: slo.slo.revision, resolution: 3600 as const }
  const at = (ago: number) => Math.floor((now - ago * hour) / hour) * hour
  const usual = { good: 2700, total: 3600, coveredSeconds: 3600, leadGood: 11, leadTotal: 15 }
  const caughtUp = { ...usual, good: 2700 * 4, total: 3600 * 4, leadGood: 8100, leadTotal: 10_800 }
  await putBuckets(on.nines.app.db.write, [
    { ...whose, ...usual, startSeconds: at(100) },
    { ...whose, ...caughtUp, startSeconds: at(96) },
    { ...whose, ...usual, startSeconds: at(95) },
  ])
  await backfillFrom(
    shop(() => false),
    slo,
  )
  const hours = await on.buckets(slo, 3600, at(100))
  expect(hours.slice(0, 6).map(({ total }) => Math.round(total))).toEqual([3600, 3600, 3600, 3600, 3600, 3600])
  expect(hours[4]).toMatchObject({ startSeconds: at(96), good: 2700, total: 3600, leadTotal: 0 })
  expect(hours[5]).toEqual({ ...usual, startSeconds: at(95) })
})
