import { expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import { createBackfills } from '../../src/ledger/backfill/backfill.ts'
import { closeBuckets } from '../../src/ledger/close.ts'
import type { Bucket, Span } from '../../src/ledger/bucket.ts'
import { putBuckets } from '../../src/ledger/ledger-store.ts'
import type { PlannedSlo } from '../../src/sli/plan/plan.ts'
import type { Source } from '../../src/sources/source.ts'
import { testStartMs } from '../support/app.ts'
import { evenly, measuring, nothing } from './measuring.ts'

const on = measuring()
// 10:00:00, when every SLO below is created: the ledger is closed from here on
const now = testStartMs / 1000
const minute = 60
const hour = 3600
const day = 86_400
const midnight = now + 14 * hour
const down = new AppError('source_unavailable', 'metrics source did not answer')

const source: Source = { name: 'none', instant: unasked, range: unasked }
async function unasked(): Promise<never> {
  throw new Error('must be no question')
}

const close = (planned: PlannedSlo[], atSeconds: number) =>
  closeBuckets(on.nines.app, planned, source, atSeconds, on.measure)
const asked = (resolution: number) => on.asked.filter(({ span }) => span.resolution === resolution)

/** Closes as an evaluation does, about once a minute, until nothing is left to close. */
async function closeAll(planned: PlannedSlo[], atSeconds: number): Promise<void> {
  for (let before = -1; before !== on.asked.length;) {
    before = on.asked.length
    await close(planned, atSeconds)
  }
}

/** Sets the result of a minute; an `increase` over an hour finds slightly more. */
function answers(change: (bucket: Bucket) => Partial<Bucket>) {
  on.setResult = (_sloId, span) =>
    span.resolution === minute ? evenly(span, change) : evenly(span, () => ({ good: 3500, leadGood: 0, leadTotal: 0 }))
}

test('an hour is closed once, three minutes after it is over, as the sum of its minutes measured again', async () => {
  const slo = await on.create()
  answers(({ startSeconds }) => ({ good: 59, leadTotal: startSeconds === now ? 7 : 1 }))
  await close([slo], now + hour + 179)
  expect(on.asked).toHaveLength(0)
  await close([slo], now + hour + 180)
  await close([slo], now + hour + 240)
  expect(on.asked.map(({ span }) => span)).toEqual([{ resolution: 60, startSeconds: now, endSeconds: now + hour }])
  const sum = { startSeconds: now, good: 3540, total: 3600, coveredSeconds: 3600, leadGood: 1, leadTotal: 7 }
  expect(await on.buckets(slo, hour)).toEqual([sum])
  expect(await on.buckets(slo, minute)).toHaveLength(60)
})

test('late data replaces what the minutes had', async () => {
  const slo = await on.create()
  await close([slo], now + hour + 180)
  await on.nines.app.db.write.deleteFrom('buckets').where('resolution', '=', hour).execute()
  answers(() => ({ good: 30 }))
  await close([slo], now + hour + 240)
  expect((await on.buckets(slo, minute)).map(({ good }) => good)).toEqual(Array(60).fill(30))
})

test('an hour with a minute missing covers what its minutes cover, and is not asked for as a whole', async () => {
  const slo = await on.create()
  answers(({ startSeconds }) => (startSeconds === now + 600 ? nothing : {}))
  await close([slo], now + hour + 180)
  expect(asked(hour)).toEqual([])
  expect(await on.buckets(slo, hour)).toMatchObject([{ good: 3540, total: 3540, coveredSeconds: 3540, leadTotal: 1 }])
})

test('what the source has forgotten stays as its minutes had it', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) =>
    evenly(span, ({ startSeconds }) => (span.resolution === hour || startSeconds < now + 1800 ? nothing : {}))
  await close([slo], now + hour + 180)
  expect(await on.buckets(slo, hour)).toMatchObject([{ good: 1800, total: 1800, coveredSeconds: 1800 }])
})

test('an hour without any data is closed as such, and not asked for again', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => evenly(span, () => nothing)
  await closeAll([slo], now + hour + 180)
  expect(await on.buckets(slo, hour)).toEqual([{ startSeconds: now, ...nothing }])
  expect(on.asked).toHaveLength(1)
})

test('a day is closed ten minutes after it has ended, as the sum of its hours, the backfilled ones too', async () => {
  const slo = await on.create()
  await createBackfills(on.nines.app, on.measure).run()
  on.asked = []
  await closeAll([slo], midnight + 599)
  expect(await on.buckets(slo, day, now - 10 * hour)).toEqual([])
  await closeAll([slo], midnight + 600)
  expect(asked(day)).toEqual([])
  expect(await on.buckets(slo, day, now - 10 * hour)).toMatchObject([{ good: day, total: day, coveredSeconds: day }])
})

test('a day of which hours are missing is measured as a whole', async () => {
  const slo = await on.create()
  await closeAll([slo], midnight + 600)
  expect(asked(day).map(({ span }) => span)).toEqual([
    { resolution: 86_400, startSeconds: midnight - day, endSeconds: midnight },
  ])
  expect(await on.buckets(slo, day)).toMatchObject([{ startSeconds: midnight - day, total: day, coveredSeconds: day }])
})

test('after days of absence every hour and day is closed, the old ones without their minutes', async () => {
  const slo = await on.create()
  const back = midnight + 9 * day + 700
  await closeAll([slo], back)
  const hours = await on.buckets(slo, hour)
  expect(hours.map(({ startSeconds }) => startSeconds)).toEqual(Array.from({ length: 230 }, (_, at) => now + at * hour))
  expect(await on.buckets(slo, day)).toHaveLength(10)
  expect((await on.buckets(slo, minute))[0]?.startSeconds).toBe(midnight + 7 * day + hour)
  const longest = Math.max(...on.asked.map(({ span }) => (span.endSeconds - span.startSeconds) / span.resolution))
  expect(longest).toBeLessThanOrEqual(360)
})

test('what is past 35 days is not closed any more', async () => {
  const slo = await on.create()
  await closeAll([slo], midnight + 60 * day + 700)
  expect((await on.buckets(slo, hour))[0]?.startSeconds).toBe(midnight + 25 * day)
  expect((await on.buckets(slo, day))[0]?.startSeconds).toBe(midnight + 25 * day)
})

test('SLOs are closed together, and a refused query keeps only its own hour open', async () => {
  const [good, bad] = [await on.create(), await on.create({ name: 'Search' })]
  const error = new AppError('source_refused', 'metrics source refused the query')
  on.setResult = (sloId: number, span: Span) => (sloId === bad.slo.id ? { error } : evenly(span))
  await close([good, bad], now + hour + 180)
  expect(on.asked.map(({ sloIds }) => sloIds)).toEqual([[good.slo.id, bad.slo.id]])
  expect(await on.buckets(good, hour)).toHaveLength(1)
  expect(await on.buckets(bad, hour)).toHaveLength(0)
  expect(await on.buckets(bad, minute)).toHaveLength(0)
})

test('a source that does not answer changes nothing, and the hour is closed when it is back', async () => {
  const slo = await on.create()
  on.setResult = () => down
  await close([slo], now + hour + 180)
  expect(await on.buckets(slo, minute)).toHaveLength(0)
  on.setResult = (_sloId, span) => evenly(span)
  await close([slo], now + hour + 240)
  expect(await on.buckets(slo, hour)).toHaveLength(1)
})

test('a query that shares nothing with others, and is not answered, holds up none of them', async () => {
  const [one, heavy] = [await on.create(), await on.create({ name: 'Pages', metric_query: 'avg(success_ratio)' })]
  on.setResult = (sloId, span) => (sloId === heavy.slo.id ? down : evenly(span))
  await close([one, heavy], now + hour + 180)
  expect(await on.buckets(one, hour)).toHaveLength(1)
  expect(await on.buckets(heavy, hour)).toHaveLength(0)
})

test('where the source cannot answer for six hours at once it is asked for one', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => (span.endSeconds - span.startSeconds > hour ? { error: down } : evenly(span))
  await close([slo], now + 6 * hour + 180)
  expect(on.asked.map(({ span }) => (span.endSeconds - span.startSeconds) / hour)).toEqual([6, 1])
  expect((await on.buckets(slo, hour)).map(({ startSeconds }) => startSeconds)).toEqual([now])
})

test('an hour that the source never answers is closed six hours later as its minutes have it, and later ones after it', async () => {
  const slo = await on.create()
  const minutes = evenly({ resolution: 60, startSeconds: now + 600, endSeconds: now + 1200 }).buckets
  const whose = { sloId: slo.slo.id, revision: 1, resolution: 60 } as const
  await putBuckets(
    on.nines.app.db.write,
    minutes.map((bucket) => ({ ...bucket, ...whose })),
  )
  on.setResult = (_sloId, span) => (span.startSeconds <= now ? { error: down } : evenly(span))
  await close([slo], now + 7 * hour - 60)
  expect(await on.buckets(slo, hour)).toEqual([])
  for (let calls = 0; calls < 3; calls += 1) await close([slo], now + 7 * hour + 180)
  const [first, ...later] = await on.buckets(slo, hour)
  expect(first).toEqual({ startSeconds: now, good: 600, total: 600, coveredSeconds: 600, leadGood: 1, leadTotal: 1 })
  expect(later.map(({ coveredSeconds }) => coveredSeconds)).toEqual(Array(6).fill(hour))
})

test('so is a day, as its hours have it', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => (span.resolution === day ? { error: down } : evenly(span))
  for (let calls = 0; calls < 9; calls += 1) await close([slo], midnight + 6 * hour - 60)
  expect(await on.buckets(slo, day)).toEqual([])
  await close([slo], midnight + 6 * hour)
  expect(await on.buckets(slo, day)).toMatchObject([{ startSeconds: midnight - day, coveredSeconds: 14 * hour }])
})
