import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'

let nines: TestApp
let source: FakeSource
beforeEach(async () => {
  source = fakeSource(() => 1)
  nines = await testApp({ env: { SOURCE_URL: source.url, QUOTA_SLOS: '4' } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const slo = {
  name: 'Answers',
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  good_query: 'sum by (route) (rate(hits{code!~"5.."}[5m]))',
  total_query: 'sum by (route) (rate(hits[5m]))',
  labels: { team: 'shop' },
}
const create = (body: object) =>
  nines.call('POST', '/api/v1/slos/bulk', {
    action: 'create_for_each',
    slo,
    label: 'route',
    values: ['/a', '/b'],
    ...body,
  })
const read = async (path: string) => (await nines.call('GET', `/api/v1${path}`)).body

test('an SLO is created for each value, with it in queries, name and labels', async () => {
  const { status, body } = await create({})
  expect(status).toBe(200)
  expect(body).toEqual({
    results: [1, 2].map((id) => ({ id, result: 'created', error: null })),
    changed: 2,
    unchanged: 0,
    failed: 0,
  })
  expect(await read('/slos/2')).toMatchObject({
    name: 'Answers (/b)',
    good_query: 'sum by (route) (rate(hits{route="/b",code!~"5.."}[5m]))',
    total_query: 'sum by (route) (rate(hits{route="/b"}[5m]))',
    labels: { team: 'shop', route: '/b' },
    created_by: 1,
  })
  expect(await read('/slos/1/backfill')).toMatchObject({ status: 'waiting' })
  const { entries } = await read('/audit-log?event=slo_created')
  expect(entries.map(({ details }: { details: object }) => details)).toEqual([
    { slo_id: 2, name: 'Answers (/b)' },
    { slo_id: 1, name: 'Answers (/a)' },
  ])
})

test('what a preview with for_each measures is what is created', async () => {
  const preview = async (body: object) => (await nines.call('POST', '/api/v1/slos/preview', body)).body
  const one = await preview({ ...slo, for_each: { label: 'route', value: '/b' } })
  await create({})
  const { name, good_query, total_query, labels } = await read('/slos/2')
  const created = await preview({ ...slo, name, good_query, total_query, labels })
  expect(one.metadata.expression).toContain('route="/b"')
  expect(one).toEqual(created)
})

test('long queries are made for a few values in a turn, so that others are answered in between', async () => {
  const values = Array.from({ length: 50 }, (_, at) => `${at}`)
  const turnsWith = async (terms: number) => {
    using turns = countEventLoopIterations()
    const sum = (metric: string) => Array.from({ length: terms }, () => metric).join('+')
    const { status } = await create({ values, slo: { ...slo, good_query: sum('a'), total_query: sum('b') } })
    expect(status).toBe(409) // more than the quota allows
    return turns.count()
  }
  await turnsWith(1) // the first request opens the source
  const shortTurns = await turnsWith(1)
  expect(await turnsWith(600)).toBeGreaterThan(shortTurns)
})

test('all are created or none: a quota that is exceeded by the last leaves nothing', async () => {
  const answer = await create({ values: ['1', '2', '3', '4', '5'] })
  expect(answer.status).toBe(409)
  expect((await read('/slos?active=all')).total).toBe(0)
  expect((await read('/audit-log?event=slo_created')).total).toBe(0)
  expect((await create({ values: ['1', '2', '3', '4'] })).body.changed).toBe(4)
})

describe('a request that is wrong creates nothing:', () => {
  test.each([
    [{ slo: undefined }, 'slo'],
    [{ label: undefined }, 'label'],
    [{ values: undefined }, 'values'],
    [{ values: [] }, 'values'],
    [{ values: Array.from({ length: 51 }, (_, at) => `${at}`) }, 'values'],
    [{ values: { length: 1e9 } }, 'values'],
    [{ values: ['a', 'b', 'a'] }, 'values.2'],
    [{ values: [''] }, 'values.0'],
    [{ values: [' a'] }, 'values.0'],
    [{ values: ['a\nb'] }, 'values.0'],
    [{ values: ['\u0000'] }, 'values.0'],
    [{ values: ['x'.repeat(201)] }, 'values.0'],
    [{ values: [1] }, 'values.0'],
    [{ label: '__name__' }, 'label'],
    [{ label: 'a="b",c' }, 'label'],
    [{ label: '' }, 'label'],
    [{ ids: [1] }, 'ids'],
    [{ filter: { team_id: 1 } }, 'filter'],
    [{ slo: { ...slo, target: 0 } }, 'slo.target'],
    [{ slo: { ...slo, active: false } }, 'slo.active'],
    [{ slo: { ...slo, team_id: 99 } }, 'slo.team_id'],
    [{ slo: { ...slo, source_id: 99 } }, 'slo.source_id'],
    [{ slo: { ...slo, total_query: null } }, 'slo.total_query'],
    [{ slo: { ...slo, labels: [] } }, 'slo.labels'],
    [
      { slo: { ...slo, labels: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`, 'x'])) } },
      'slo.labels',
    ],
    [{ slo: { ...slo, name: 'x'.repeat(196) } }, 'slo.name'],
    [{ slo: { ...slo, good_query: 'sum(' } }, 'slo.good_query'],
    [{ slo: { ...slo, good_query: '1', force: true } }, 'slo.good_query'],
    [{ slo: { ...slo, good_query: `sum(x${' '.repeat(9990)})` } }, 'slo.good_query'],
  ])('%j', async (body, field) => {
    const answer = await create(body)
    expect([answer.status, answer.body.problems?.[0]?.field]).toEqual([400, field])
    expect((await read('/slos?active=all')).total).toBe(0)
  })

  test('for_each of a preview too', async () => {
    const preview = (body: object) => nines.call('POST', '/api/v1/slos/preview', { ...checkout, ...body })
    for (const for_each of [{ label: 'a' }, { label: 'a b', value: 'c' }, { label: 'a', value: '' }, 'a', null]) {
      expect((await preview({ for_each })).status).toBe(400)
    }
    expect((await preview({ metric_query: '1', for_each: { label: 'a', value: 'b' } })).status).toBe(400)
  })
})
