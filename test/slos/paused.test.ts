import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sumUpRetiredBuckets } from '../../src/ledger/retired-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'

const minuteMs = 60_000
let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(countingScript({ shop: { total: 10, bad: 0.005 } }))
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const create = (change = {}) => nines.call('POST', '/api/v1/slos', { ...countedSlo('shop'), ...change })
const change = (body: object) => nines.call('PUT', '/api/v1/slos/1', body)
const read = async (path: string) => (await nines.call('GET', `/api/v1${path}`)).body
const evaluate = () => nines.app.evaluator.evaluateAll()
const bucketsFrom = async (resolution: 60 | 3600, startMs: number) => {
  const buckets = nines.app.db.read.selectFrom('buckets').select(['start', 'covered_seconds'])
  const own = buckets
    .where('slo_id', '=', 1)
    .where('resolution', '=', resolution)
    .where('start', '>=', startMs / 1000)
  return own.orderBy('start').execute()
}

test('a paused SLO is not evaluated, and its state is unknown with its last figures', async () => {
  await create()
  await evaluate()
  nines.clock.advance(minuteMs)
  expect((await change({ paused: true })).status).toBe(200)
  const since = new Date(nines.clock.now()).toISOString()
  const asked = source.asked.length
  expect(await evaluate()).toEqual([])
  nines.clock.advance(10 * minuteMs)
  expect(await evaluate()).toEqual([])
  expect(source.asked.length).toBe(asked)
  const state = { state: 'unknown', state_reason: 'paused', state_since: since, burn_rate_now: null }
  const { slos } = await read('/slos')
  expect(slos).toMatchObject([{ id: 1, active: true, paused: true, paused_at: since }])
  expect((await read('/slos/overview')).slos).toMatchObject([{ ...state, status: 'unknown' }])
  const { metrics } = await read('/tsdb/real-time-metrics')
  expect(metrics).toMatchObject([
    { ...state, status_reason: 'paused', current_value: null, last_measured: { age_seconds: 720 } },
  ])
  expect(metrics[0].last_measured.current_value).toBeCloseTo(99.95, 6)
  expect(await read('/slos/1/budget')).toMatchObject({ ...state, status_reason: 'paused' })
  const exposed = await nines.call('GET', '/metrics')
  expect(exposed.text).toContain('state="unknown"} 1')
  expect(exposed.text).not.toContain('slo_current_sli_ratio{')
  expect(exposed.text).not.toContain('\nnines_ledger_lag_seconds ')
})

test('a paused SLO is not in the public summary', async () => {
  await create()
  await create({ name: 'other' })
  await change({ paused: true })
  expect((await read('/status/public')).slos).toMatchObject({ total: 1, no_data: 1 })
})

test('a resumed SLO is evaluated at the next tick, and what lies between is filled in', async () => {
  await create()
  await nines.app.backfills.run()
  await evaluate()
  const pausedMs = nines.clock.now()
  await change({ paused: true })
  for (let hour = 0; hour < 5; hour += 1) {
    nines.clock.advance(60 * minuteMs)
    await sumUpRetiredBuckets(nines.app)
  }
  await nines.app.backfills.run()
  expect(await bucketsFrom(60, pausedMs)).toEqual([])
  await change({ paused: false })
  expect((await read('/slos/overview')).slos).toMatchObject([{ state: 'measuring' }])
  expect(await read('/slos/1/backfill')).toMatchObject({ status: 'waiting' })
  expect(await evaluate()).toMatchObject([{ sloId: 1, status: 'healthy' }])
  await nines.app.backfills.run()
  const minutes = await bucketsFrom(60, pausedMs)
  expect(minutes.filter(({ covered_seconds }) => covered_seconds === 60)).toHaveLength(5 * 60)
  const hours = await bucketsFrom(3600, pausedMs)
  expect(hours.slice(0, 5).map(({ covered_seconds }) => covered_seconds)).toEqual(Array(5).fill(3600))
})

test('an SLO is created paused, and asks its source for nothing until it is resumed', async () => {
  const { status, body } = await create({ paused: true })
  expect([status, body.paused]).toEqual([201, true])
  const asked = source.asked.length
  await nines.app.backfills.run()
  expect(await evaluate()).toEqual([])
  expect(source.asked.length).toBe(asked)
  expect((await read('/slos/overview')).slos).toMatchObject([{ state: 'unknown', state_reason: 'paused' }])
  await change({ paused: false })
  expect(await evaluate()).toMatchObject([{ sloId: 1, status: 'healthy' }])
})

test('an SLO that is edited, deleted and restored while it is paused stays paused', async () => {
  await create()
  await evaluate()
  await change({ paused: true })
  await change({ ...countedSlo('bakery'), target: 99 })
  await nines.call('DELETE', '/api/v1/slos/1')
  await change({ active: true })
  await nines.app.backfills.run()
  expect(await evaluate()).toEqual([])
  expect(await read('/slos/1')).toMatchObject({ active: true, paused: true, revision: 2 })
  expect((await read('/slos/overview')).slos).toMatchObject([{ state: 'unknown', state_reason: 'paused' }])
})

test('pause and resumption are in the history of the SLO and in the audit log, a repetition is not', async () => {
  await create()
  for (const paused of [true, true, false, false]) await change({ paused })
  const { changes } = await read('/slos/1/changes')
  expect(changes.map(({ event }: { event: string }) => event)).toEqual(['resumed', 'paused', 'created'])
  const { entries } = await read('/audit-log?page_size=3')
  expect(entries.map(({ event }: { event: string }) => event)).toEqual(['slo_resumed', 'slo_paused', 'slo_created'])
})

test.each([
  [{ active: false }, 'active: must be true'],
  [{ paused: 'yes' }, 'paused: must be true or false'],
  [{ paused: null }, 'paused: must be true or false'],
])('a creation with %j is refused', async (sent, details) => {
  const { status, body } = await create(sent)
  expect([status, body.details.startsWith(details)]).toEqual([400, true])
  expect((await read('/slos')).total).toBe(0)
})

test('a stored query of a paused SLO is not run', async () => {
  await create()
  const query = { slo_id: 1, query_name: 'x', source_query: 'up', query_type: 'availability' }
  expect((await nines.call('POST', '/api/v1/tsdb/queries', query)).status).toBe(201)
  await change({ paused: true })
  nines.clock.advance(5 * minuteMs)
  await nines.app.sourceQueryRuns.runDue()
  expect((await read('/tsdb/queries/1/executions')).total).toBe(0)
})
