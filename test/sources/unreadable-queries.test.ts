import { afterEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { queryCalls } from '../support/query-calls.ts'
import { checkout } from '../support/slo-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
afterEach(async () => {
  await nines.close()
  closeAll()
})

async function withSource(url: string) {
  nines = await testApp({ env: { SOURCE_URL: url } })
  await nines.join('ada')
}

const create = (change: object) => nines.call('POST', '/api/v1/slos', { ...checkout, ...change })
const pair = { metric_query: null, good_query: 'sum(rate(ok[5m]))', total_query: 'sum(rate(all[5m]))' }
const forced = '. With "force": true it is stored as it is'

describe('a query that is no PromQL', () => {
  test.each([
    [
      { metric_query: 'sum(rate(ok[5m])) / sum(rate(all[5m])' },
      'metric_query: must be PromQL: it ends too early, at character 38',
    ],
    [{ metric_query: 'my query' }, 'metric_query: must be PromQL: did not expect “query”, at character 4'],
    [{ metric_query: 'share(up)' }, 'metric_query: must be PromQL: it knows no function “share”, at character 6'],
    [{ ...pair, good_query: 'sum(rate(ok[5m]' }, 'good_query: must be PromQL: it ends too early, at character 16'],
    [{ ...pair, total_query: 'sum(a)) / (sum(b)' }, 'total_query: must be PromQL: did not expect “)”, at character 7'],
  ])('%j is refused with the field, the character and what is there', async (change, details) => {
    await withSource('embedded')
    const { status, body } = await create(change)
    expect([status, body.error]).toEqual([400, 'Invalid request'])
    expect(rulesOf(body)).toBe(`${details}${forced}`)
    const character = Number(/\d+$/.exec(details)?.[0])
    expect(body.problems).toMatchObject([{ code: 'not_promql', params: { character } }])
    expect((await nines.call('GET', '/api/v1/slos')).body.total).toBe(0)
    const insisted = await create({ ...change, force: true })
    expect(insisted.status).toBe(201)
    expect(insisted.body.warnings[0]).toContain('cannot be read as PromQL')
    expect(insisted.body).not.toHaveProperty('force')
  })

  test('is refused beside a pair, which is measured in its place', async () => {
    await withSource('embedded')
    const { status, body } = await create({ ...pair, metric_query: 'my query' })
    const details = `metric_query: must be PromQL: did not expect “query”, at character 4${forced}`
    expect([status, rulesOf(body)]).toEqual([400, details])
  })

  test('is refused when it is changed, but not when something else is', async () => {
    await withSource('embedded')
    const { id } = (await create({ metric_query: 'up +', force: true })).body
    const change = (body: object) => nines.call('PUT', `/api/v1/slos/${id}`, body)
    expect((await change({ target: 99 })).status).toBe(200)
    expect((await change({ metric_query: 'up +', name: 'other' })).status).toBe(200)
    expect(rulesOf((await change({ metric_query: 'up -' })).body)).toBe(
      `metric_query: must be PromQL: it ends too early, at character 5${forced}`,
    )
    expect((await change({ force: true })).status).toBe(400)
    expect((await nines.call('GET', `/api/v1/slos/${id}`)).body.metric_query).toBe('up +')
    expect((await change({ metric_query: 'up -', force: true })).status).toBe(200)
  })

  test('is refused as a stored query, too', async () => {
    await withSource('embedded')
    const on = await queryCalls(nines)
    const details = `source_query: must be PromQL: it ends too early, at character 5${forced}`
    expect(rulesOf((await on.create({ source_query: 'sum(' })).body)).toBe(details)
    expect((await on.list()).total).toBe(0)
    const id = await on.stored({ source_query: 'sum(', force: true })
    expect(rulesOf((await on.change(id, { source_query: 'avg(' })).body)).toBe(details)
    expect((await on.change(id, { force: true })).status).toBe(400)
    expect((await on.change(id, { query_name: 'other' })).status).toBe(200)
    expect((await on.change(id, { source_query: 'avg(', force: true })).status).toBe(200)
  })
})

describe('what can be read is stored', () => {
  test.each([
    'up',
    'availability_query',
    'sum(rate(ok[$window])) / sum(rate(all[${window}]))',
    'sum(rate(ok[{{.window}}])) / sum(rate(all{a="$x"}[window]))',
    'ok:ratio_rate$__range',
    'up # all',
    '"text"',
    `${'('.repeat(201)}up${')'.repeat(201)}`,
  ])('%s', async (metric_query) => {
    await withSource('embedded')
    expect((await create({ metric_query })).status).toBe(201)
  })
})

describe('what the grammar refuses is put to its source', () => {
  const metricsql = 'sum(rate(ok)) keep_metric_names / sum(rate(all[$window])) default 1'

  test('and is stored where that answers', async () => {
    const source = fakeSource(() => 1)
    closeLater(source.close)
    await withSource(source.url)
    expect((await create({ metric_query: metricsql })).status).toBe(201)
    expect(source.expressions()).toEqual([metricsql.replace('$window', '300s')])
    expect((await create({ metric_query: 'up' })).status).toBe(201)
    expect(source.expressions()).toHaveLength(1)
  })

  test('and is refused with its message where that refuses it', async () => {
    const source = fakeSource(() => {
      throw new Error('unparsed data left: "default 1"')
    })
    closeLater(source.close)
    await withSource(source.url)
    const { status, body } = await create({ metric_query: metricsql })
    expect([status, body.details]).toEqual([400, expect.stringContaining('unparsed data left: "default 1"')])
    expect(body.details).toStartWith(
      'metric_query: must be PromQL: did not expect “keep_metric_names”, at character 15',
    )
  })

  test('and is refused where none answers', async () => {
    await withSource('http://127.0.0.1:1')
    expect((await create({ metric_query: metricsql })).status).toBe(400)
    expect((await create({ metric_query: metricsql, force: true })).status).toBe(201)
  })
})
