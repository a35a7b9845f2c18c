import { beforeAll, expect, test } from 'bun:test'
import { hour, minute, emptyBucket } from '../../../src/ledger/bucket.ts'
import { putBuckets } from '../../../src/ledger/ledger-store.ts'
import { listComplete, sumStoredWindows } from '../../../src/ledger/rolling-window/stored-windows.ts'
import { type PlannedSlo, planSli } from '../../../src/sli/plan/plan.ts'
import { getSlo } from '../../../src/slos/store.ts'
import { sampledSource } from '../../support/sampled-source.ts'
import { sloCalls } from '../../support/slo-calls.ts'

const on = sloCalls()
const monthSeconds = 30 * 86_400
const nowSeconds = Date.UTC(2026, 2, 1, 12, 40) / 1000
const startSeconds = nowSeconds - monthSeconds
const firstHour = Math.floor(startSeconds / hour) * hour

let planned: PlannedSlo
beforeAll(async () => {
  const { body } = await on.create({ metric_query: 'up', good_query: null, total_query: null, query_unit: 'ratio' })
  const slo = await getSlo(on.nines.app.db.read, 1, body.id)
  planned = { slo, plan: planSli(slo) }
  const whose = { sloId: slo.id, revision: slo.revision }
  const hours = Array.from({ length: 721 }, (_, n) => ({
    ...emptyBucket(firstHour + n * hour),
    ...whose,
    resolution: hour,
    good: 3600,
    total: 3600,
    coveredSeconds: 3600,
  }))
  await putBuckets(on.nines.app.db.write, hours)
})

const deps = (source = sampledSource([])) => {
  const { db } = on.nines.app
  return { db, source, minutes: new Map(), complete: new Map(), atSeconds: nowSeconds }
}
const month = () => [{ planned, seconds: monthSeconds, origin: 'one' }]
const failing = (from: number, to: number) => {
  const samples = []
  for (let at = from + 30; at <= to; at += 30) samples.push({ atMs: at * 1000, value: 0 })
  return sampledSource([{ labels: { __name__: 'up' }, samples }])
}

test('the part of an hour in which a window begins is asked of the source by minutes', async () => {
  const [sum] = await sumStoredWindows(deps(failing(firstHour - 3600, firstHour + hour)), month())
  expect(sum).toEqual({
    good: 719 * 3600,
    total: 719 * 3600 + 20 * minute,
    coveredSeconds: 719 * 3600 + 1200,
    note: null,
  })
})

test('those minutes are asked for once in an hour, and by no other source', async () => {
  const source = failing(firstHour - 3600, firstHour + hour)
  const one = deps(source)
  await sumStoredWindows(one, month())
  const { length } = source.asked
  const later = { ...one, atSeconds: nowSeconds + 19 * minute }
  expect((await sumStoredWindows(later, month()))[0]?.total).toBe(719 * 3600 + minute)
  expect(source.asked).toHaveLength(length)
  await sumStoredWindows(later, [{ planned, seconds: monthSeconds, origin: 'another' }])
  expect(source.asked.length).toBeGreaterThan(length)
})

test('where the source no longer has them, the window begins with the next hour, and that is noted', async () => {
  const [sum] = await sumStoredWindows(deps(), month())
  expect(sum).toMatchObject({ total: 719 * 3600, note: expect.stringContaining('begins at 2026-01-30T13:00:00') })
})

test('an SLO whose backfill is not done, or whose hours are still to be closed, is not complete', async () => {
  const { db } = on.nines.app
  const isComplete = async (atSeconds = nowSeconds) =>
    (await listComplete({ ...deps(), atSeconds }, [planned])).length > 0
  const ends_at = nowSeconds - 600
  await db.write.updateTable('backfills').set({ ends_at, status: 'running' }).execute()
  expect(await isComplete()).toBe(false)
  await db.write.updateTable('backfills').set({ ends_at, status: 'done' }).execute()
  expect(await isComplete()).toBe(true)
  expect(await isComplete(nowSeconds + 5 * hour)).toBe(false)
})

test('an SLO that was complete minutes ago still is, unless it has been edited since', async () => {
  const { db } = on.nines.app
  await db.write
    .updateTable('backfills')
    .set({ ends_at: nowSeconds - 600, status: 'done' })
    .execute()
  const one = deps()
  expect(await listComplete(one, [planned])).toHaveLength(1)
  await db.write.updateTable('backfills').set({ status: 'running' }).execute()
  expect(await listComplete({ ...one, atSeconds: nowSeconds + 60 }, [planned])).toHaveLength(1)
  const edited = { ...planned, slo: { ...planned.slo, revision: planned.slo.revision + 1 } }
  expect(await listComplete({ ...one, atSeconds: nowSeconds + 60 }, [edited])).toHaveLength(0)
})
