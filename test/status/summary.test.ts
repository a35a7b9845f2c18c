import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { evaluation, failure, put, testStartSeconds } from '../support/evaluations.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
})
afterEach(() => nines.close())

const summary = async () => (await nines.call('GET', '/api/v1/status/public', undefined, { token: null })).body.slos
const create = async (token?: string, change: object = {}): Promise<number> => {
  const options = token === undefined ? {} : { token }
  return (await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, ...change }, options)).body.id
}
const evaluated = (change: Partial<Evaluation>) => put(nines.app.db.write, evaluation(change))
const one = (kind: 'healthy' | 'violated' | 'no_data') => ({ total: 1, healthy: 0, violated: 0, no_data: 0, [kind]: 1 })
const day = 86_400

/** Adds a stored query with this value and returns its id. */
async function query(sloId: number, value: number | null, change: Record<string, unknown> = {}): Promise<number> {
  const wanted = { slo_id: sloId, query_name: 'q', source_query: 'up', query_type: 'availability' }
  const { body } = await nines.call('POST', '/api/v1/tsdb/queries', wanted)
  const values = { last_value: value, last_value_at: nines.clock.now(), ...change }
  await nines.app.db.write.updateTable('source_queries').set(values).where('id', '=', body.id).execute()
  return body.id
}

test('of no SLOs there is nothing to count', async () => {
  expect(await summary()).toEqual({ total: 0, healthy: 0, violated: 0, no_data: 0 })
})

describe('an SLO of 99 % is', () => {
  test.each<[string, 'healthy' | 'violated' | 'no_data', Partial<Evaluation>]>([
    ['at its target', 'healthy', { current: 99 }],
    ['at its target but for the dust of binary fractions', 'healthy', { current: 99 - 1e-12 }],
    ['below it', 'violated', { current: 98.9, status: 'critical' }],
    ['answered without a value', 'no_data', { current: null, status: 'unknown', reason: 'no_data' }],
    ['measured 24 h ago', 'healthy', { current: 99.5, atSeconds: testStartSeconds - day }],
    ['measured longer ago', 'no_data', { current: 99.5, atSeconds: testStartSeconds - day - 60 }],
    ['of another revision', 'no_data', { current: 99.5, revision: 2 }],
  ])('%s: %s', async (_, expected, change) => {
    const sloId = await create()
    expect(await summary()).toEqual(one('no_data'))
    await evaluated({ sloId, ...change })
    expect(await summary()).toEqual(one(expected))
  })

  test('without an answer of its source, what it was before, for 24 h', async () => {
    const sloId = await create()
    await evaluated({ sloId, current: 99.5 })
    nines.clock.advance((day - 60) * 1000)
    await put(nines.app.db.write, failure({ sloId, atSeconds: testStartSeconds + day - 60 }))
    expect(await summary()).toEqual(one('healthy'))
    nines.clock.advance(61_000)
    expect(await summary()).toEqual(one('no_data'))
  })

  test.each<[string, 'healthy' | 'violated' | 'no_data', number | null, Record<string, unknown>]>([
    ['meets it, as a ratio', 'healthy', 0.991, {}],
    ['meets it, in percent', 'healthy', 99.1, {}],
    ['does not', 'violated', 0.5, {}],
    ['has no value', 'no_data', null, {}],
    ['has an old value', 'no_data', 1, { last_value_at: (testStartSeconds - day) * 1000 - 1 }],
    ['is not active', 'no_data', 1, { is_active: 0 }],
    ['is a ratio', 'healthy', 1, { query_type: 'ratio' }],
    ['is of seconds, or requests, or whatever', 'no_data', 1, { query_type: 'latency' }],
  ])('never evaluated, and its stored query %s: %s', async (_, expected, value, change) => {
    await query(await create(), value, change)
    expect(await summary()).toEqual(one(expected))
  })

  test('in percent, and so are its queries: half a percent is no ratio', async () => {
    const sloId = await create(undefined, { query_unit: 'percent', target: 40 })
    await query(sloId, 0.5)
    expect(await summary()).toEqual(one('violated'))
  })

  test('below it, and healthy all the same where one of its queries meets it', async () => {
    const sloId = await create()
    await evaluated({ sloId, current: 50, status: 'critical' })
    await query(sloId, 0.2)
    expect(await summary()).toEqual(one('violated'))
    await query(sloId, 0.999)
    expect(await summary()).toEqual(one('healthy'))
  })
})

describe('the numbers', () => {
  test('are of all organizations, and of SLOs that have not been deleted', async () => {
    const stranger = await nines.join('eve')
    const sloId = await create()
    const theirs = await create(stranger)
    const third = await create(stranger)
    await evaluated({ sloId, current: 99.5 })
    await evaluated({ sloId: theirs, organizationId: 2, current: 90, status: 'critical' })
    expect(await summary()).toEqual({ total: 3, healthy: 1, violated: 1, no_data: 1 })
    await nines.call('DELETE', `/api/v1/slos/${third}`, undefined, { token: stranger })
    expect(await summary()).toEqual({ total: 2, healthy: 1, violated: 1, no_data: 0 })
  })

  test('follow every change at once, though no time has gone by', async () => {
    const sloId = await create()
    await evaluated({ sloId, current: 99.5 })
    expect(await summary()).toEqual(one('healthy'))
    await nines.call('PUT', `/api/v1/slos/${sloId}`, { target: 99.9 })
    expect(await summary()).toEqual(one('violated'))
    await nines.call('PUT', `/api/v1/slos/${sloId}`, { target: 99.5 })
    expect(await summary()).toEqual(one('healthy'))
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    expect(await summary()).toMatchObject({ total: 0, healthy: 0 })
  })

  test('are counted once a second, however often they are requested', async () => {
    await create()
    const asked = spyOn(nines.app.db.read.getExecutor(), 'executeQuery')
    const counts = () => asked.mock.calls.filter(([query]) => query.sql.includes('verdicts')).length
    for (let ask = 0; ask < 20; ask += 1) await summary()
    expect([asked.mock.calls.length > 20, counts()]).toEqual([true, 1])
    nines.clock.advance(1000)
    await Promise.all([summary(), summary(), summary()])
    expect(counts()).toBe(2)
  })

  test('are right also where counting takes its time, which is a tenth of all time at most', async () => {
    const executor = nines.app.db.read.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    const began: number[] = []
    spyOn(executor, 'executeQuery').mockImplementation((query) => {
      if (query.sql.includes('verdicts')) began.push(performance.now())
      const until = performance.now() + (query.sql.includes('verdicts') ? 10 : 0)
      while (performance.now() < until);
      return execute(query)
    })
    for (const total of [1, 2, 3]) {
      await create(undefined, { name: `${total}` })
      const totals = (await Promise.all(Array.from({ length: 9 }, summary))).map((one) => one.total)
      expect(new Set(totals)).toEqual(new Set([total]))
    }
    expect(began.length).toBeLessThan(9) // once for all who wait; values are counted again after a second, too
    expect((began[2] ?? 0) - (began[0] ?? 0)).toBeGreaterThan(2 * 95)
  })
})
