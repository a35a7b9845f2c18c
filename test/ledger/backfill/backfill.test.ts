import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { getBackfill, startBackfill, updateBackfill } from '../../../src/slos/backfills/store.ts'
import { type BackfillDeps, createBackfills } from '../../../src/ledger/backfill/backfill.ts'
import { putBuckets } from '../../../src/ledger/ledger-store.ts'
import type { PlannedSlo } from '../../../src/sli/plan/plan.ts'
import { testStartMs } from '../../support/app.ts'
import { evenly, measuring, nothing } from '../measuring.ts'

const on = measuring()
const now = testStartMs / 1000
const day = 86_400
const allChunks = 6 + 7 + 8

const backfills = (also: Partial<BackfillDeps> = {}, measure = on.measure) => {
  const { app } = on.nines
  return createBackfills(
    { ...app, planner: { ...app.planner, verify: async (_source, slos) => slos }, ...also },
    measure,
  )
}
const run = (also: Partial<BackfillDeps> = {}) => backfills(also).run()
const stateOf = ({ slo }: PlannedSlo) => getBackfill(on.nines.app.db.read, slo.organization_id, slo.id)
const down = new AppError('source_unavailable', 'metrics source did not answer')

/** Answers `count` queries, then fails like an unreachable source. */
function answering(count: number) {
  let left = count
  on.setResult = (_sloId, span) => (left-- > 0 ? evenly(span) : down)
}

test('a backfill fills minutes, hours and days as far as each is kept', async () => {
  const slo = await on.create()
  expect(await stateOf(slo)).toMatchObject({ status: 'waiting', chunks: 0 })
  await run()
  const starts = async (resolution: 60 | 3600 | 86_400) =>
    (await on.buckets(slo, resolution)).map((bucket) => bucket.startSeconds)
  const from = (first: number, step: number, count: number) =>
    Array.from({ length: count }, (_, at) => first + at * step)
  expect(await starts(60)).toEqual(from(now - 3 * day, 60, 4320))
  expect(await starts(3600)).toEqual(from(now - 35 * day, 3600, 840))
  expect(await starts(86_400)).toEqual(from(now - 36_000 - 400 * day, day, 400))
  const buckets = 4320 + 840 + 400
  expect(await stateOf(slo)).toMatchObject({ status: 'done', chunks: allChunks, chunks_done: allChunks, buckets })
  await run()
  expect(on.asked).toHaveLength(allChunks)
})

test('what comes first is the newest', async () => {
  await on.create()
  answering(1)
  await run()
  expect(on.asked[0]?.span).toEqual({ resolution: 60, startSeconds: now - 43_200, endSeconds: now })
})

test('SLOs of a source are asked for together, also one that was made a little later', async () => {
  const ids = [(await on.create()).slo.id, (await on.create({ name: 'Search' })).slo.id]
  on.nines.clock.advance(600_000)
  ids.push((await on.create({ name: 'Pay' })).slo.id)
  await run()
  expect(on.asked).toHaveLength(allChunks + 1)
  expect(on.asked.slice(0, 2).map(({ sloIds }) => sloIds)).toEqual([[ids[0], ids[1]], [ids[2]]] as number[][])
  expect(on.asked.slice(2).every(({ sloIds }) => sloIds.length === 3)).toBe(true)
})

test('a source that goes away keeps what was done, and the next run goes on with the chunk that was lost', async () => {
  const slo = await on.create()
  answering(3)
  await run()
  expect(await stateOf(slo)).toMatchObject({ status: 'running', chunks: allChunks, chunks_done: 3, error: null })
  expect(await on.buckets(slo, 60)).toHaveLength(3 * 720)
  const lost = on.asked.at(-1)
  answering(1000)
  await run()
  expect(on.asked[4]).toEqual(lost)
  expect(on.asked).toHaveLength(allChunks + 1)
  expect(await stateOf(slo)).toMatchObject({ status: 'done', buckets: 4320 + 840 + 400 })
})

test('what was measured at its time is not replaced where the source remembers less', async () => {
  const slo = await on.create()
  const whose = { sloId: slo.slo.id, revision: 1 }
  const live = { startSeconds: now - 7200, good: 80, total: 90, coveredSeconds: 60, leadGood: 0, leadTotal: 0 }
  const ofHour = { ...live, coveredSeconds: 3000 }
  const startsOfMinutes = Array.from({ length: 60 }, (_, n) => now - 7200 + n * 60)
  const minutes = startsOfMinutes.map((startSeconds) => ({ ...live, startSeconds, ...whose, resolution: 60 }) as const)
  await putBuckets(on.nines.app.db.write, [...minutes, { ...ofHour, ...whose, resolution: 3600 }])
  await run()
  for (const resolution of [60, 3600] as const) {
    expect((await on.buckets(slo, resolution)).find(({ startSeconds }) => startSeconds === now - 7200)).toEqual(
      resolution === 60 ? live : ofHour,
    )
  }
  expect(await stateOf(slo)).toMatchObject({ buckets: 4320 + 840 + 400 - 61 })
})

test('the hour before an SLO that began on the hour is the sum of its measured minutes, not an extrapolation', async () => {
  const slo = await on.create()
  const whose = { sloId: slo.slo.id, revision: 1, resolution: 60 } as const
  const live = { good: 59, total: 60, coveredSeconds: 60, leadGood: 1, leadTotal: 1 }
  const minutes = Array.from({ length: 60 }, (_, n) => ({ ...live, ...whose, startSeconds: now - 3600 + n * 60 }))
  await putBuckets(on.nines.app.db.write, minutes)
  await run()
  expect((await on.buckets(slo, 3600, now - 3600))[0]).toMatchObject({ good: 60 * 59, total: 3600, leadTotal: 1 })
})

test('time without data is not written, and two chunks of days without any end the search', async () => {
  const slo = await on.create()
  const reach = now - 40 * day
  on.setResult = (_sloId, span) => evenly(span, ({ startSeconds }) => (startSeconds < reach ? nothing : {}))
  await run()
  expect(on.asked).toHaveLength(6 + 7 + 3)
  expect((await on.buckets(slo, 86_400)).every(({ startSeconds }) => startSeconds >= reach)).toBe(true)
  expect(await stateOf(slo)).toMatchObject({ status: 'done', chunks_done: allChunks })
})

test('a gap of less than two chunks of days does not end the search', async () => {
  const slo = await on.create()
  const inGap = (start: number) => start < now - 60 * day && start > now - 140 * day
  on.setResult = (_sloId, span) => evenly(span, ({ startSeconds }) => (inGap(startSeconds) ? nothing : {}))
  await run()
  expect((await on.buckets(slo, 86_400))[0]?.startSeconds).toBe(now - 36_000 - 400 * day)
})

test('a refused query fails its own backfill in the words of the source, and no other', async () => {
  const [good, bad] = [await on.create(), await on.create({ name: 'Search' })]
  const refused = new AppError('source_refused', 'metrics source refused the query', {
    details: 'many-to-many matching',
  })
  on.setResult = (sloId, span) => (sloId === bad.slo.id ? { error: refused } : evenly(span))
  await run()
  expect(await stateOf(bad)).toMatchObject({ status: 'failed', error: 'many-to-many matching', chunks_done: 0 })
  expect(await stateOf(good)).toMatchObject({ status: 'done', error: null })
})

test('a backfill that is cancelled while its source is asked writes nothing more', async () => {
  const slo = await on.create()
  let questions = 0
  const measure = async (...asked: Parameters<typeof on.measure>) => {
    questions += 1
    const { id, revision } = slo.slo
    if (questions === 2) {
      await updateBackfill(on.nines.app.db.write, id, revision, { status: 'cancelled', updated_at: testStartMs })
    }
    return on.measure(...asked)
  }
  await backfills({}, measure).run()
  expect(questions).toBe(2)
  expect(await on.buckets(slo, 60)).toHaveLength(720)
  expect(await stateOf(slo)).toMatchObject({ status: 'cancelled', chunks_done: 1, buckets: 732 })
})

test.each([1, 3])('a backfill that begins again while question %d is asked begins with its first chunk', async (at) => {
  const slo = await on.create()
  let questions = 0
  const measure = async (...asked: Parameters<typeof on.measure>) => {
    questions += 1
    if (questions === at) await startBackfill(on.nines.app.db.write, slo.slo, on.nines.clock.now())
    return on.measure(...asked)
  }
  await backfills({}, measure).run()
  expect(on.asked[at]).toEqual(on.asked[0])
  expect(await stateOf(slo)).toMatchObject({ status: 'done', chunks_done: allChunks })
})

test('an edited query has its own past asked for, and keeps what the old one measured', async () => {
  const before = await on.create()
  await run()
  await on.nines.call('PUT', `/api/v1/slos/${before.slo.id}`, { metric_query: 'sum(rate(a[5m])) / sum(rate(b[5m]))' })
  const after = await on.read(before.slo.id)
  expect(after.slo.revision).toBe(2)
  await run()
  expect(await on.buckets(after, 3600)).toHaveLength(840)
  expect(await on.buckets(before, 3600)).toHaveLength(840)
})

test('a query that is never answered holds up no other, and is tried again after two minutes', async () => {
  const heavy = await on.create({ metric_query: 'avg(success_ratio)' })
  const well = await on.create({ name: 'Search' })
  on.setResult = (sloId, span) => (sloId === heavy.slo.id ? down : evenly(span))
  const both = backfills()
  await both.run()
  await both.run()
  expect(await stateOf(well)).toMatchObject({ status: 'done' })
  expect(await stateOf(heavy)).toMatchObject({ status: 'waiting', error: null })
  const tries = () => on.asked.filter(({ sloIds }) => sloIds.includes(heavy.slo.id)).length
  expect(tries()).toBe(1)
  on.nines.clock.advance(120_000)
  await both.run()
  expect(tries()).toBe(2)
})

test('a source that cannot answer for many at once is asked for fewer', async () => {
  const slos = [await on.create(), await on.create({ name: 'b' }), await on.create({ name: 'c' })]
  const many = async (...asked: Parameters<typeof on.measure>) => {
    if (asked[1].length > 2) throw down
    return on.measure(...asked)
  }
  const tired = backfills({}, many)
  for (let runs = 0; runs < 2 * allChunks; runs += 1) await tired.run()
  for (const slo of slos) expect(await stateOf(slo)).toMatchObject({ status: 'done', buckets: 4320 + 840 + 400 })
})

test('nothing begins while nines is closing, and a closing app writes nothing more', async () => {
  const slo = await on.create()
  await run({ isClosing: () => true })
  expect(on.asked).toHaveLength(0)
  let closing = false
  on.setResult = (_sloId, span) => {
    closing = true
    return evenly(span)
  }
  await run({ isClosing: () => closing })
  expect(on.asked).toHaveLength(1)
  expect(await on.buckets(slo, 60)).toHaveLength(0)
})

test('two runs at once do not ask for the same', async () => {
  await on.create()
  const both = backfills()
  await Promise.all([both.run(), both.run()])
  expect(on.asked).toHaveLength(allChunks)
})

test('a source that does not answer holds up no other, and one that is not active is not asked', async () => {
  const source = (name: string) =>
    on.nines.call('POST', '/api/v1/tsdb/sources', { name, api_url: `http://127.0.0.1:9/${name}` })
  const [gone, idle] = [(await source('gone')).body.id, (await source('idle')).body.id]
  const lost = await on.create({ source_id: gone })
  const asleep = await on.create({ name: 'Pay', source_id: idle })
  const well = await on.create({ name: 'Search' })
  await on.nines.call('PUT', `/api/v1/tsdb/sources/${idle}`, { is_active: false })
  on.setResult = (sloId, span) => (sloId === lost.slo.id ? down : evenly(span))
  await run()
  expect(await stateOf(well)).toMatchObject({ status: 'done' })
  expect(await stateOf(lost)).toMatchObject({ status: 'waiting' })
  expect(await stateOf(asleep)).toMatchObject({ status: 'waiting' })
  expect(on.asked.filter(({ sloIds }) => sloIds.includes(lost.slo.id))).toHaveLength(1)
  expect(on.asked.filter(({ sloIds }) => sloIds.includes(asleep.slo.id))).toHaveLength(0)
})

test('closing does not wait for a source, whose answer then changes nothing', async () => {
  const slo = await on.create()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  let closing = false
  const slow = async (...question: Parameters<typeof on.measure>) => {
    asked.resolve()
    await answer.promise
    return on.measure(...question)
  }
  const stopping = backfills({ isClosing: () => closing }, slow)
  const running = stopping.run()
  await asked.promise
  closing = true
  await stopping.drain()
  answer.resolve()
  await running
  expect(await on.buckets(slo, 60)).toHaveLength(0)
})
