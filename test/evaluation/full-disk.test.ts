import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { unlimitPages, limitPages, untilRefused } from '../support/page-limit.ts'

const minuteMs = 60_000

let source: FakeSource
let nines: TestApp
let id: number
beforeEach(async () => {
  source = fakeSource(countingScript({ shop: { total: 10, bad: 0.005 } }))
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
  id = (await nines.call('POST', '/api/v1/slos', countedSlo('shop'))).body.id
})
afterEach(async () => {
  await unlimitPages(nines.app.db.write)
  await nines.close()
  source.close()
})

const latest = () =>
  nines.app.db.read.selectFrom('slo_states').selectAll().where('slo_id', '=', id).executeTakeFirstOrThrow()

async function minutes(): Promise<number[]> {
  const rows = await nines.app.db.read
    .selectFrom('buckets')
    .select('start')
    .where('slo_id', '=', id)
    .where('resolution', '=', 60)
    .orderBy('start')
    .execute()
  return rows.map(({ start }) => start / 60)
}

test('what a full disk refuses of evaluations is not claimed, and the ledger has every minute once there is room', async () => {
  await nines.app.evaluator.evaluateAll()
  await limitPages(nines.app.db.write)
  let stored = await latest()
  let refused = 0
  for (let minute = 0; refused < 5 && minute < 2000; minute += 1) {
    nines.clock.advance(minuteMs)
    const outcome = await nines.app.evaluator.evaluateAll().catch(() => 'refused' as const)
    if (outcome === 'refused') {
      refused += 1
      expect(await latest()).toEqual(stored)
    } else stored = await latest()
  }
  expect(refused).toBe(5)
  await unlimitPages(nines.app.db.write)
  nines.clock.advance(minuteMs)
  const [evaluation] = await nines.app.evaluator.evaluateAll()
  expect(evaluation).toMatchObject({ status: 'healthy', isFailed: false })
  expect(evaluation?.own).toBeCloseTo(99.95, 9)
  const [first = 0, ...others] = await minutes()
  expect(others).toEqual(others.map((_, at) => first + at + 1))
  expect((await latest()).evaluated_at).toBeGreaterThan(stored.evaluated_at)
})

test('a calculation whose executions the disk refuses is answered, with a warning that says so', async () => {
  await limitPages(nines.app.db.write)
  const calculate = async () =>
    nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: '1h', include_details: true })
  await untilRefused(async () => {
    nines.clock.advance(minuteMs)
    const { status, body } = await calculate()
    expect(status).toBe(200)
    if (nines.app.conditions.list().length > 0) throw new Error(body.warnings)
  })
  nines.clock.advance(minuteMs)
  const { status, body } = await calculate()
  expect([status, body.query_executions]).toEqual([200, []])
  expect(body.current_value).toBeCloseTo(99.95, 9)
  expect(body.warnings).toContain('The executions of this calculation are not stored: the disk refuses to write')
  expect((await nines.call('GET', '/api/v1/tsdb/health')).status).toBe(200)
})
