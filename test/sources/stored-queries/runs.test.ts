import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { type FakeSource, fakeSource } from '../../support/fake-source.ts'
import { queryCalls } from '../../support/query-calls.ts'

let nines: TestApp
let source: FakeSource
let on: Awaited<ReturnType<typeof queryCalls>>
beforeEach(async () => {
  source = fakeSource(() => 0.75)
  closeLater(source.close)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
  on = await queryCalls(nines)
})
afterEach(async () => {
  closeAll()
  await nines.close()
})

const second = 1000
const iso = (ms: number) => new Date(ms).toISOString()
const runDue = () => nines.app.sourceQueryRuns.runDue()
const runLater = async (ms: number) => {
  nines.clock.advance(ms)
  await runDue()
}

describe('a stored query', () => {
  test('is run at once, and what came of it is its history', async () => {
    const id = await on.stored({ source_query: 'sum(rate(ok[$window]))' })
    nines.clock.advance(3 * second)
    await runDue()
    expect(source.asked).toMatchObject([
      { kind: 'instant', expression: 'sum(rate(ok[86400s]))', timeSeconds: testStartMs / 1000 + 3 },
    ])
    expect(await on.history(id)).toEqual({
      executions: [
        {
          id: 1,
          query_id: id,
          slo_id: on.slo,
          execution_time: iso(testStartMs + 3 * second),
          execution_duration_ms: expect.any(Number),
          status: 'success',
          result_samples: 1,
          metadata: {
            time_range: '24h',
            start_time: iso(testStartMs + 3 * second - 24 * 3600 * second),
            end_time: iso(testStartMs + 3 * second),
            step_seconds: null,
            source_name: 'default',
            part: 'query',
            expression: 'sum(rate(ok[86400s]))',
            window_method: 'placeholder',
          },
          created_at: iso(testStartMs + 3 * second),
        },
      ],
      total: 1,
    })
    expect((await on.read(id)).body).toMatchObject({
      last_value: 0.75,
      last_value_at: iso(testStartMs + 3 * second),
      updated_at: iso(testStartMs),
    })
  })

  test.each([-40 * 24, -24, -1])('is run within its interval where the clock was set by %p h', async (hours) => {
    await on.stored({ evaluation_interval_seconds: 30 })
    await runDue()
    nines.clock.jump(hours * 3600 * second)
    await runLater(30 * second)
    expect(source.asked).toHaveLength(2)
    await runLater(29 * second)
    expect(source.asked).toHaveLength(2)
    await runLater(second)
    expect(source.asked).toHaveLength(3)
  })

  test('is run every interval from then on, and nothing that was missed is made up for', async () => {
    const id = await on.stored({ evaluation_interval_seconds: 30 })
    await runLater(2 * second)
    await runLater(27 * second) // 29 s after it was first due
    expect(source.asked).toHaveLength(1)
    await runLater(second)
    expect(source.asked).toHaveLength(2)
    await runLater(100 * second) // 130 s
    await runLater(19 * second) // 149 s
    expect(source.asked).toHaveLength(3)
    await runLater(second)
    const { executions } = await on.history(id)
    expect(executions.map((one: { execution_time: string }) => one.execution_time)).toEqual(
      [150, 130, 30, 2].map((seconds) => iso(testStartMs + seconds * second)),
    )
    expect(executions[0].metadata.window_method).toBe('as_stored')
  })

  test('is not run while it is switched off, or its SLO is deleted', async () => {
    const off = await on.stored({ is_active: false })
    await runDue()
    expect(source.asked).toEqual([])
    nines.clock.advance(second)
    await on.change(off, { is_active: true })
    await runDue()
    expect(source.asked).toHaveLength(1)
    await nines.call('DELETE', `/api/v1/slos/${on.slo}`)
    await runLater(3600 * second)
    expect(source.asked).toHaveLength(1)
    await nines.call('PUT', `/api/v1/slos/${on.slo}`, { active: true })
    await runDue()
    expect(source.asked).toHaveLength(2)
  })

  test('that becomes another is run at once, and its value is not that of the one before', async () => {
    const id = await on.stored()
    await runDue()
    nines.clock.advance(second)
    await on.change(id, { query_name: 'Renamed' })
    await runDue()
    expect((await on.read(id)).body.last_value).toBe(0.75)
    expect(source.asked).toHaveLength(1)
    source.script(() => null)
    expect((await on.change(id, { source_query: 'down' })).body).toMatchObject({
      last_value: null,
      last_value_at: null,
    })
    await runDue()
    expect(source.expressions()).toEqual(['up', 'down'])
    expect((await on.read(id)).body.last_value).toBeNull()
  })

  test('queries the source it names, else that of its SLO, else the default one', async () => {
    const [hers, its] = [fakeSource(() => 0.1), fakeSource(() => 0.2)]
    closeLater(() => [hers, its].forEach(({ close }) => close()))
    const sourceId = async (name: string, api_url: string) =>
      (await nines.call('POST', '/api/v1/tsdb/sources', { name, api_url })).body.id
    const [named, other] = [await on.stored({ source_id: await sourceId('its', its.url) }), await on.stored()]
    const values = () => Promise.all([named, other].map(async (id) => (await on.read(id)).body.last_value))
    await runDue()
    expect(await values()).toEqual([0.2, 0.75])
    await nines.call('PUT', `/api/v1/slos/${on.slo}`, { source_id: await sourceId('hers', hers.url) })
    await runLater(60 * second)
    expect(await values()).toEqual([0.2, 0.1])
  })
})

describe('the value of a query', () => {
  test.each([
    ['the mean over its series', [0.2, 0.4, NaN].map((value, n) => ({ labels: { n: `${n}` }, value })), 0.3],
    ['a scalar', { scalar: 3 }, 3],
    ['nothing where it is infinite', Infinity, null],
    ['nothing where it is a text', { text: '0.5' }, null],
    ['nothing where there is no series', null, null],
    ['nothing where the source has answered in part', { value: 0.5, isPartial: true }, null],
  ])('is %s', async (_, reply, value) => {
    source.script(() => reply)
    const id = await on.stored()
    await runDue()
    const { body } = await on.read(id)
    expect(body.last_value).toEqual(value === null ? null : expect.closeTo(value, 12))
    expect(body.last_value_at).toBe(value === null ? null : iso(testStartMs))
    expect((await on.history(id)).executions).toMatchObject([{ status: 'success' }])
  })

  test('stays, with its time, while there is none', async () => {
    const id = await on.stored()
    await runDue()
    source.script(() => null)
    await runLater(60 * second)
    expect((await on.history(id)).executions).toMatchObject([{ result_samples: 0 }, { result_samples: 1 }])
    expect((await on.read(id)).body).toMatchObject({ last_value: 0.75, last_value_at: iso(testStartMs) })
  })
})

describe('a failure', () => {
  test('of the source is an execution with its message, and the next run comes when it would have', async () => {
    source.script((expression) => {
      if (expression === 'bad(') throw new Error('parse error: unclosed left parenthesis')
      return 0.5
    })
    const [bad, good] = [await on.stored({ source_query: 'bad(', force: true }), await on.stored()]
    await runDue()
    expect((await on.history(bad)).executions).toMatchObject([
      { status: 'error', error: expect.stringContaining('unclosed left parenthesis'), result_samples: 0 },
    ])
    expect((await on.history(good)).executions).toMatchObject([{ status: 'success' }])
    await runLater(59 * second)
    expect(source.asked).toHaveLength(2)
    await runLater(second)
    expect((await on.history(bad)).total).toBe(2)
  })

  test('for want of a source says so', async () => {
    await nines.call('PUT', '/api/v1/tsdb/sources/1', { is_active: false })
    const id = await on.stored()
    await runDue()
    expect((await on.history(id)).executions).toMatchObject([
      { status: 'error', error: 'No active metrics source: the source default is not active', result_samples: 0 },
    ])
    await nines.call('DELETE', '/api/v1/tsdb/sources/1')
    await runLater(60 * second)
    const [newest] = (await on.history(id)).executions
    expect(newest.error).toStartWith('No active metrics source: no metrics source is set up')
    expect(source.asked).toEqual([])
  })
})
