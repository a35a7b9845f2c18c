import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript, type Services } from '../support/counting-source.ts'
import { evaluateByTicks } from '../support/evaluate-by-ticks.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'

const minuteMs = 60_000
const steady = { total: 10, bad: 0.005 }

let source: FakeSource
let nines: TestApp

beforeEach(async () => {
  source = fakeSource(() => null)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

async function create(slo: object): Promise<number> {
  const { body, text } = await nines.call('POST', '/api/v1/slos', slo)
  if (!body?.id) throw new Error(text)
  return body.id
}

async function evaluate(): Promise<Map<number, Evaluation>> {
  const evaluations = await nines.app.evaluator.evaluateAll()
  return new Map(evaluations.map((evaluation) => [evaluation.sloId, evaluation]))
}

const serve = (services: Services) => source.script(countingScript(services))

/** Evaluates at each of the next minutes; returns the last results. */
async function evaluateFor(minutes: number): Promise<Map<number, Evaluation>> {
  for (let at = 1; at < minutes; at += 1) {
    nines.clock.advance(minuteMs)
    await evaluate()
  }
  nines.clock.advance(minuteMs)
  return evaluate()
}

describe('an SLO over counters', () => {
  test('has the SLI of its own window, its budget and events, and the status of the last hour', async () => {
    serve({ shop: steady })
    const id = await create(countedSlo('shop'))
    const evaluation = (await evaluate()).get(id)
    expect(evaluation).toMatchObject({ status: 'healthy', reason: null, isFailed: false })
    expect(evaluation?.current).toBeCloseTo(99.95, 9)
    expect(evaluation?.own).toBeCloseTo(99.95, 9)
    expect(evaluation?.budgetUsed).toBeCloseTo(50, 9)
    expect(evaluation?.totalEvents).toBe(10 * 30 * 86_400)
    expect(evaluation?.goodEvents).toBe(25_907_040)
  })

  test('keeps its own window exact, minute by minute, without asking for it again', async () => {
    const began = nines.clock.now() / 1000
    const outage = (at: number) => (at > began + 600 && at <= began + 900 ? { total: 10, bad: 10 } : steady)
    serve({ shop: outage })
    const id = await create(countedSlo('shop'))
    await evaluate()
    source.asked.length = 0
    const evaluation = (await evaluateFor(20)).get(id)
    const windowSeconds = 30 * 86_400
    const bad = 0.005 * (windowSeconds - 300) + 10 * 300
    expect(evaluation?.own).toBeCloseTo(100 * (1 - bad / (10 * windowSeconds)), 9)
    expect(source.expressions().filter((expression) => expression.includes('[2592000s]'))).toEqual([])
  })

  test('that has left the window no longer counts', async () => {
    const began = nines.clock.now() / 1000
    const gone = began - 86_400 + 300 // a failing minute that leaves the 24h window in five minutes
    serve({ shop: (at) => (at > gone && at <= gone + 60 ? { total: 10, bad: 10 } : { total: 10, bad: 0 }) })
    const id = await create({ ...countedSlo('shop'), time_window: '24h' })
    expect((await evaluate()).get(id)?.own).toBeLessThan(100)
    expect((await evaluateFor(10)).get(id)?.own).toBe(100)
  })

  test('is asked about with all others of its kind at once', async () => {
    const services = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, steady]))
    serve(services)
    for (const name of Object.keys(services)) await create(countedSlo(name))
    await evaluate()
    source.asked.length = 0
    nines.clock.advance(minuteMs)
    const evaluations = [...(await evaluate()).values()]
    expect(evaluations).toHaveLength(40)
    expect(evaluations.every(({ current }) => Math.abs((current ?? 0) - 99.95) < 1e-9)).toBe(true)
    expect(source.asked.length).toBeLessThan(25)
  })

  test.each([
    ['no_data', null],
    ['no_traffic', { total: 0, bad: 0 }],
  ])('without events is unknown: %s', async (reason, traffic) => {
    serve({ shop: traffic })
    const id = await create(countedSlo('shop'))
    const evaluation = (await evaluate()).get(id)
    expect(evaluation).toMatchObject({ status: 'unknown', reason, isFailed: false, current: null, own: null })
    expect(evaluation?.budgetUsed).toBeNull()
  })

  test('is measured as a whole where its sides do not reproduce it', async () => {
    const counting = countingScript({ shop: steady })
    source.script((expression, at) => (/\) \/ \(/.test(expression) ? 0.5 : counting(expression, at)))
    const id = await create(countedSlo('shop'))
    expect((await evaluate()).get(id)?.current).toBe(50)
  })
})

describe('an SLO of another kind', () => {
  test('is asked for as it is, its own window not at every evaluation', async () => {
    source.script((expression) => (expression.includes('latency') ? 1 : null))
    const id = await create({
      ...countedSlo('x'),
      bad_query: null,
      total_query: null,
      metric_query: 'max(latency) <= 0.3',
    })
    expect((await evaluate()).get(id)).toMatchObject({ status: 'healthy', current: 100, own: 100, goodEvents: null })
    source.asked.length = 0
    nines.clock.advance(minuteMs)
    await evaluate()
    const lengths = source.asked.map((asked) => (asked.kind === 'range' ? asked.endSeconds - asked.startSeconds : 0))
    expect(Math.max(...lengths)).toBeLessThan(3600)
    nines.clock.advance(5 * minuteMs)
    source.asked.length = 0
    await evaluate()
    const later = source.asked.map((asked) => (asked.kind === 'range' ? asked.endSeconds - asked.startSeconds : 0))
    // in chunks
    expect(Math.max(...later)).toBeGreaterThan(2_000_000 / 2)
  })
})

test('what may be a ratio or a percentage is inferred before any of it is stored', async () => {
  source.script((expression) => (expression.includes('score') ? 99.5 : null))
  const id = await create({ ...countedSlo('x'), bad_query: null, total_query: null, metric_query: 'score' })
  expect((await evaluate()).get(id)?.current).toBeCloseTo(99.5, 9)
  const buckets = await nines.app.db.read.selectFrom('buckets').selectAll().where('covered_seconds', '>', 0).execute()
  expect(buckets.length).toBeGreaterThan(50)
  for (const { good, total } of buckets) expect(good / total).toBeCloseTo(0.995, 9)
})

test('a new SLO is evaluated at the next tick, and an edited one again', async () => {
  serve({ shop: steady })
  const state = () => nines.app.db.read.selectFrom('slo_states').selectAll().executeTakeFirst()
  const ticked = async () => {
    await evaluateByTicks(nines)
    return state()
  }
  // there was no SLO at the start
  nines.app.evaluator.tick()
  const id = await create(countedSlo('shop'))
  expect(await ticked()).toMatchObject({ slo_id: id, status: 'healthy' })
  nines.clock.advance(1000)
  await nines.call('PUT', `/api/v1/slos/${id}`, { target: 99.99 })
  expect(await ticked()).toMatchObject({ status: 'critical' })
})

describe('a source', () => {
  test('that does not answer makes its SLOs unknown, says why, and leaves what was measured', async () => {
    serve({ shop: steady })
    const id = await create(countedSlo('shop'))
    await evaluate()
    source.close()
    nines.clock.advance(minuteMs)
    const evaluation = (await evaluate()).get(id)
    expect(evaluation).toMatchObject({ status: 'unknown', reason: 'source_error', isFailed: true, current: null })
    expect(evaluation?.message).toContain('connection refused')
    const state = await nines.app.db.read.selectFrom('slo_states').selectAll().executeTakeFirstOrThrow()
    expect(state).toMatchObject({ status: 'unknown', reason: 'source_error' })
    expect(state.own_value).toBeCloseTo(99.95, 9)
    expect(state.measured_at).toBeLessThan(state.evaluated_at - minuteMs)
  })

  test('that refuses one query fails that SLO and no other', async () => {
    const counting = countingScript({ shop: steady, cart: steady })
    source.script((expression, at) => {
      if (expression.includes('cart')) throw new Error('query processing would load too many samples')
      return counting(expression, at)
    })
    const [shop, cart] = [await create(countedSlo('shop')), await create(countedSlo('cart'))]
    const evaluations = await evaluate()
    expect(evaluations.get(shop)).toMatchObject({ status: 'healthy', reason: null })
    expect(evaluations.get(cart)).toMatchObject({ status: 'unknown', reason: 'source_error', isFailed: true })
    expect(evaluations.get(cart)?.message).toContain('too many samples')
  })

  test('of an organization that has none is distinguished', async () => {
    const { body } = await nines.call('GET', '/api/v1/tsdb/sources')
    await nines.call('PUT', `/api/v1/tsdb/sources/${body.sources[0].id}`, { is_active: false })
    const id = await create(countedSlo('shop'))
    expect((await evaluate()).get(id)).toMatchObject({
      reason: 'source_error',
      message: expect.stringContaining('No active'),
    })
  })

  test('that answered in part is not booked', async () => {
    const counting = countingScript({ shop: steady })
    source.script((expression, at) => ({
      value: counting(expression, at) as never,
      warnings: ['partial response'],
      isPartial: true,
    }))
    const id = await create(countedSlo('shop'))
    expect((await evaluate()).get(id)).toMatchObject({ reason: 'source_error' })
    expect(await nines.app.db.read.selectFrom('buckets').selectAll().execute()).toEqual([])
  })
})

test('a pause of nines is caught up with, from the same checkpoint', async () => {
  const began = nines.clock.now() / 1000
  serve({ shop: (at) => (at > began + 1200 && at <= began + 1800 ? { total: 10, bad: 1 } : steady) })
  const id = await create(countedSlo('shop'))
  await evaluate()
  const checkpoint = () => nines.app.db.read.selectFrom('checkpoints').select('end_at').executeTakeFirstOrThrow()
  const before = await checkpoint()
  nines.clock.advance(40 * minuteMs)
  const evaluation = (await evaluate()).get(id)
  const bad = 0.005 * (30 * 86_400 - 600) + 600
  expect(evaluation?.own).toBeCloseTo(100 * (1 - bad / (10 * 30 * 86_400)), 9)
  expect(await checkpoint()).toEqual(before)
})

test('a deleted SLO is not evaluated', async () => {
  serve({ shop: steady })
  const id = await create(countedSlo('shop'))
  await nines.call('DELETE', `/api/v1/slos/${id}`)
  expect((await evaluate()).size).toBe(0)
})
