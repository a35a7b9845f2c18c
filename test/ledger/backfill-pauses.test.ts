import { expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import { getBackfill } from '../../src/slos/backfills/store.ts'
import { type BackfillDeps, createBackfills } from '../../src/ledger/backfill/backfill.ts'
import { putBuckets } from '../../src/ledger/ledger-store.ts'
import type { PlannedSlo } from '../../src/sli/plan/plan.ts'
import { testStartMs } from '../support/app.ts'
import { fakeSource } from '../support/fake-source.ts'
import { evenly, measuring } from './measuring.ts'

const on = measuring()
const now = testStartMs / 1000
const pauseMs = 120_000
const late = new AppError('source_unavailable', 'metrics source did not answer', { details: 'no answer in 60 s' })
const heavyQuery = { metric_query: 'avg(success_ratio)' } // shares no query with other SLOs

const backfills = (also: Partial<BackfillDeps> = {}) => {
  const { app } = on.nines
  return createBackfills(
    { ...app, planner: { ...app.planner, verify: async (_source, slos) => slos }, ...also },
    on.measure,
  )
}
const stateOf = ({ slo }: PlannedSlo) => getBackfill(on.nines.app.db.read, slo.organization_id, slo.id)

/** Another source, which is available. */
async function sourceThere() {
  const source = fakeSource(() => 1)
  const { body } = await on.nines.call('POST', '/api/v1/tsdb/sources', { name: 'there', api_url: source.url })
  return { source_id: Number(body.id), close: source.close }
}

async function runFor(pauses: number, running: ReturnType<typeof backfills>): Promise<void> {
  for (let n = 0; n < pauses; n += 1) {
    await running.run()
    on.nines.clock.advance(pauseMs)
  }
}

test('a query that is never answered, by a source that is there, ends after an hour in its words', async () => {
  const { source_id, close } = await sourceThere()
  const slo = await on.create({ ...heavyQuery, source_id })
  on.setResult = () => late
  const running = backfills()
  await runFor(29, running)
  expect(await stateOf(slo)).toMatchObject({ status: 'waiting', error: null })
  await runFor(1, running)
  expect(await stateOf(slo)).toMatchObject({ status: 'failed', error: 'no answer in 60 s' })
  close()
})

test('a source that does not answer is waited for, however long', async () => {
  const slo = await on.create()
  on.setResult = () => late
  const running = backfills()
  await runFor(100, running)
  expect(await stateOf(slo)).toMatchObject({ status: 'waiting', error: null })
  on.setResult = (_sloId, span) => evenly(span)
  await running.run()
  expect(await stateOf(slo)).toMatchObject({ status: 'done' })
})

test('what is not answered does not hide what comes after it', async () => {
  const heavy = []
  for (let n = 0; n < 50; n += 1) heavy.push(await on.create({ ...heavyQuery, name: `heavy ${n}` }))
  const well = await on.create()
  const ids = new Set(heavy.map(({ slo }) => slo.id))
  on.setResult = (sloId, span) => (ids.has(sloId) ? late : evenly(span))
  const running = backfills()
  for (let runs = 0; runs < 60; runs += 1) await running.run()
  expect(await stateOf(well)).toMatchObject({ status: 'done' })
  on.asked = []
  await running.run()
  expect(on.asked).toEqual([])
})

test('time of which the source had nothing yet is filled when it has', async () => {
  const slo = await on.create()
  const hole = { startSeconds: now - 7200, good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
  const whose = { sloId: slo.slo.id, revision: 1 }
  await putBuckets(on.nines.app.db.write, [
    { ...hole, ...whose, resolution: 60 },
    { ...hole, ...whose, resolution: 3600 },
  ])
  await backfills().run()
  for (const resolution of [60, 3600] as const) {
    const filled = (await on.buckets(slo, resolution)).find(({ startSeconds }) => startSeconds === now - 7200)
    expect(filled?.coveredSeconds).toBe(resolution)
  }
})

test('a late answer to a closed appliance is dropped', async () => {
  await on.create()
  let closing = false
  const planner = {
    ...on.nines.app.planner,
    async verify(): Promise<never> {
      closing = true
      throw new Error('driver has already been destroyed')
    },
  }
  await backfills({ planner, isClosing: () => closing }).run()
  closing = false
  await expect(backfills({ planner, isClosing: () => false }).run()).rejects.toThrow('destroyed')
})
