import { expect, test } from 'bun:test'
import { closedUntil, minutesToMeasure, putBuckets } from '../../src/ledger/ledger-store.ts'
import type { Resolution } from '../../src/ledger/bucket.ts'
import type { PlannedSlo } from '../../src/sli/plan/plan.ts'
import { testStartMs } from '../support/app.ts'
import { evenly, measuring } from './measuring.ts'

const on = measuring()
// 10:00:00, when every SLO below is created and its backfill ends
const now = testStartMs / 1000
const hour = 3600
const day = 86_400

async function put({ slo }: PlannedSlo, resolution: Resolution, startSeconds: number, revision = slo.revision) {
  const { buckets } = evenly({ resolution, startSeconds, endSeconds: startSeconds + resolution })
  await putBuckets(
    on.nines.app.db.write,
    buckets.map((bucket) => ({ ...bucket, sloId: slo.id, revision, resolution })),
  )
}

async function minutesFrom(one: PlannedSlo, until: number) {
  return (await minutesToMeasure(on.nines.app.db.read, [one], until)).get(one.slo.id)
}

test('a new SLO begins with the last hour', async () => {
  const slo = await on.create()
  expect(await minutesFrom(slo, now)).toBe(now - hour)
  expect(await minutesFrom(slo, now + 60)).toBe(now + 60 - hour)
})

test('an SLO with minutes goes on from the last of them, whose two are measured again', async () => {
  const slo = await on.create()
  await put(slo, 60, now + 600)
  expect(await minutesFrom(slo, now + 720)).toBe(now + 540)
  expect(await minutesFrom(slo, now + hour)).toBe(now + 540)
})

test('after long absence no more than two hours are measured: what is older is closed by the hour', async () => {
  const slo = await on.create()
  await put(slo, 60, now)
  expect(await minutesFrom(slo, now + 10 * day)).toBe(now + 10 * day - 2 * hour)
})

test('what a clock that was ahead has left behind ends nothing', async () => {
  const slo = await on.create()
  await put(slo, 60, now + 120)
  await put(slo, 60, now + day)
  expect(await minutesFrom(slo, now + 600)).toBe(now + 60)
  await put(slo, hour, now)
  await put(slo, hour, now + day)
  expect((await closedUntil(on.nines.app.db.read, [slo], hour, 0, now + 2 * hour)).get(slo.slo.id)).toBe(now + hour)
})

test('minutes of another SLO or of an earlier revision do not count', async () => {
  const [one, other] = [await on.create(), await on.create({ name: 'Search' })]
  await put(other, 60, now + 1200)
  await put(one, 60, now + 1200, 7)
  await put(one, hour, now)
  const starts = await minutesToMeasure(on.nines.app.db.read, [one, other], now + 1320)
  expect([...starts]).toEqual([
    [one.slo.id, now + 1320 - hour],
    [other.slo.id, now + 1140],
  ])
})

test('an SLO without a backfill is not closed before it has minutes', async () => {
  const slo = await on.create()
  await on.nines.app.db.write.deleteFrom('backfills').execute()
  const closed = () => closedUntil(on.nines.app.db.read, [slo], hour, 0, now + hour)
  expect((await closed()).size).toBe(0)
  await put(slo, 60, now + 1200)
  expect([...(await closed()).values()]).toEqual([now])
})

test('hours and days are closed from the one in which the backfill ends, on after the last that is there', async () => {
  on.nines.clock.advance(1_500_000)
  const slo = await on.create()
  const closed = async (resolution: 3600 | 86_400, earliest = 0) =>
    (await closedUntil(on.nines.app.db.read, [slo], resolution, earliest, now + 20 * day)).get(slo.slo.id)
  await put(slo, hour, now - 5 * hour) // written by the backfill
  expect(await closed(hour)).toBe(now)
  expect(await closed(day)).toBe(now - 10 * hour)
  await put(slo, hour, now)
  expect(await closed(hour)).toBe(now + hour)
  expect(await closed(hour, now + 5 * day)).toBe(now + 5 * day)
})
