import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { closeBuckets, createClosedMemory } from '../../src/ledger/close.ts'
import type { PlannedSlo } from '../../src/sli/plan/plan.ts'
import type { Source } from '../../src/sources/source.ts'
import { testStartMs } from '../support/app.ts'
import { evenly, measuring } from './measuring.ts'

const on = measuring()
const now = testStartMs / 1000
const hour = 3600
const unasked = () => Promise.reject(new Error('must be no question'))
const source: Source = { name: 'none', instant: unasked, range: unasked }

test('an SLO of which nothing is left to close is not looked at until the hour has passed, or it is edited', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => evenly(span, () => ({}))
  const closed = createClosedMemory(now)
  const close = async (one: PlannedSlo, atSeconds: number) => {
    const before = on.asked.length
    await closeBuckets({ db: on.nines.app.db, closed }, [one], source, atSeconds, on.measure)
    return on.asked.length - before
  }
  const at = now + hour + 180
  expect(await close(slo, at)).toBe(1)
  expect(closed.upToDate.size).toBe(0) // the next call may find more
  expect(await close(slo, at + 60)).toBe(0)
  expect(closed.upToDate.size).toBe(1)
  await on.nines.app.db.write.deleteFrom('buckets').where('resolution', '=', hour).execute()
  expect(await close(slo, at + 120)).toBe(0)
  expect(await close({ ...slo, slo: { ...slo.slo, revision: slo.slo.revision } }, at + hour)).toBe(1)
})

test('an SLO that was last closed before the hours that are kept is closed from these on', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => evenly(span, () => ({}))
  const closed = createClosedMemory(now)
  const longAgo = now - 400 * 24 * hour
  for (const known of [closed.hours, closed.days]) known.set(`${slo.slo.id} ${slo.slo.revision}`, longAgo)
  await closeBuckets({ db: on.nines.app.db, closed }, [slo], source, now + hour + 180, on.measure)
  expect(on.asked.length).toBeGreaterThan(0)
  expect(on.asked.filter(({ span }) => span.startSeconds < now - 60 * 24 * hour)).toEqual([])
})

test('a minute that is measured again as it was is not written again', async () => {
  const slo = await on.create()
  on.setResult = (_sloId, span) => evenly(span, ({ startSeconds }) => ({ good: startSeconds % 7 }))
  const { db } = on.nines.app
  const close = () => closeBuckets({ db }, [slo], source, now + hour + 180, on.measure)
  const changes = async () => {
    const { rows } = await sql<{ n: number }>`select total_changes() as n`.execute(db.write)
    return rows[0]?.n ?? NaN
  }
  await close()
  const stored = await on.buckets(slo, 60)
  await db.write.deleteFrom('buckets').where('resolution', '=', hour).execute()
  const before = await changes()
  await close()
  expect((await changes()) - before).toBe(1) // the hour
  expect(await on.buckets(slo, 60)).toEqual(stored)
})
