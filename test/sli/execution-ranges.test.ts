import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'
import { calculator, twoSided } from '../support/calculator.ts'

const on = calculator()
const ago = (seconds: number) => new Date(testStartMs - seconds * 1000).toISOString()
const details = { include_details: true }

type Execution = { query_id: number | null; metadata: { part: string; expression: string } }
const of = (executions: Execution[], part: string) => executions.find(({ metadata }) => metadata.part === part)

describe('an execution names the range that was read', () => {
  test('which for an instant query is what it reaches back to, whichever window it is for', async () => {
    on.source.script((expression) => (expression.includes('[5m]') ? 0.9 : null))
    const { body } = await on.calculate({ metric_query: 'avg_over_time(ok[5m])' }, '1h', details)
    expect(of(body.query_executions, 'sli')?.metadata).toMatchObject({
      time_range: '1h',
      start_time: ago(3600),
      end_time: ago(0),
      step_seconds: null,
    })
    expect(of(body.query_executions, 'as_stored')?.metadata).toMatchObject({
      time_range: '5m',
      start_time: ago(300),
      end_time: ago(0),
      step_seconds: null,
    })
    expect([body.time_window, body.start_time, body.end_time]).toEqual(['1h', ago(3600), ago(0)])
  })

  test('which for a range query is its first point, its last and the step', async () => {
    on.source.script(() => 0.9)
    const { body } = await on.calculate({ metric_query: 'max(job:ok:ratio)', time_window: '1h' }, '1h', details)
    expect(body.query_executions[0].metadata).toMatchObject({
      time_range: '1h',
      start_time: ago(59 * 60),
      end_time: ago(0),
      step_seconds: 60,
    })
  })

  test.each([
    ['up', 'instant', 0],
    ['rate(x[90s])', '90s', 90],
    ['max_over_time(rate(x[5m])[2h:1m])', '2h', 7200],
    ['increase(x[$window])', '30d', 30 * 86_400],
  ])('also of a stored query: %s', async (source_query, time_range, seconds) => {
    await on.calculate({ metric_query: 'up' })
    const request = { slo_id: 1, query_name: 'x', source_query, query_type: 'custom' }
    await on.nines.call('POST', '/api/v1/tsdb/queries', request)
    await on.nines.app.sourceQueryRuns.runDue()
    const { body } = await on.nines.call('GET', '/api/v1/tsdb/queries/1/executions')
    expect(body.executions[0].metadata).toMatchObject({ time_range, start_time: ago(seconds), end_time: ago(0) })
  })

  test('and an ad-hoc answer its step', async () => {
    on.source.script(() => 1)
    const ask = async (change: object) =>
      (await on.nines.call('POST', '/api/v1/tsdb/query', { query: 'up', time_range: '1h', ...change })).body.metadata
    expect(await ask({})).toMatchObject({ start_time: ago(3600), end_time: ago(0), step_seconds: null })
    expect(await ask({ step: '5m' })).toMatchObject({ step_seconds: 300 })
  })
})

describe('an execution of a calculation names the stored query that it comes of', () => {
  const store = async (change: object) => {
    const request = { slo_id: 1, query_name: 'x', query_type: 'custom', is_active: false, ...change }
    return (await on.nines.call('POST', '/api/v1/tsdb/queries', request)).body.id as number
  }
  const ids = (executions: Execution[]) =>
    Object.fromEntries(executions.map(({ query_id, metadata: { part } }) => [part, query_id]))

  test('whose expression is that of the SLO, or one of its sides, but for white space', async () => {
    on.source.script(() => 1)
    await on.calculate({ metric_query: twoSided })
    const whole = await store({ source_query: `${twoSided} # the same` })
    const total = await store({ source_query: 'sum( rate(all[5m]) )' })
    await store({ source_query: twoSided })
    const { body } = await on.again(1, '30d', details)
    expect(ids(body.query_executions)).toEqual({ sli: whole, counted: null, total, coverage: null })
    const listed = await on.nines.call('GET', `/api/v1/tsdb/queries/${whole}/executions`)
    expect(listed.body).toMatchObject({ total: 1, executions: [{ query_id: whole, metadata: { part: 'sli' } }] })
  })

  test('of a pair, too', async () => {
    on.source.script(() => 1)
    await on.calculate({ bad_query: 'sum(rate(bad[5m]))', total_query: 'sum(rate(all[5m]))' })
    const counted = await store({ source_query: 'sum(rate(bad[5m]))' })
    const { body } = await on.again(1, '30d', details)
    expect(ids(body.query_executions)).toMatchObject({ sli: null, counted, total: null })
  })

  test('but none of another SLO, or of another source', async () => {
    on.source.script(() => 1)
    const source = { name: 'other', api_url: on.source.url }
    await on.nines.call('POST', '/api/v1/tsdb/sources', source)
    await on.calculate({ metric_query: 'up' })
    await on.calculate({ metric_query: 'up' })
    await store({ source_query: 'up', slo_id: 2 })
    await store({ source_query: 'up', source_id: 2 })
    expect((await on.again(1, '1h', details)).body.query_executions[0].query_id).toBeNull()
    const own = await store({ source_query: 'up', source_id: 1 })
    expect((await on.again(1, '1h', details)).body.query_executions[0].query_id).toBe(own)
  })
})
