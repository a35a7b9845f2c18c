import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { listSourceQueryIds } from '../../../src/sources/stored-queries/store.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { queryPlansOf } from '../../support/query-plans.ts'
import { availability, queryCalls } from '../../support/query-calls.ts'
import { checkout } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
let on: Awaited<ReturnType<typeof queryCalls>>
beforeEach(async () => {
  nines = await joinedApp()
  on = await queryCalls(nines)
})
afterEach(() => nines.close())

const now = () => new Date(nines.clock.now()).toISOString()
const failure = ({ status, body }: Answer) => [status, body.error, rulesOf(body)]
const invalid = (details: string) => [400, 'Invalid request', details]
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const addSource = (name: string) =>
  nines.call('POST', '/api/v1/tsdb/sources', { name, api_url: `http://${name}.example` })

test('a list of queries begins without reading their texts, which are long', async () => {
  const plans = await queryPlansOf(nines.app.db.read, (db) => listSourceQueryIds(db, 1, undefined))
  expect(plans.filter((plan) => plan.includes('source_queries'))).toEqual([
    expect.stringContaining('COVERING INDEX source_queries_listed'),
  ])
})

test('a list of long queries is a stream of what a short one has', async () => {
  const source_query = `up{path!="${'x'.repeat(9000)}"}`
  await on.create({ query_name: 'first', source_query, metric_labels: ['a', 'id'] })
  const [first] = (await on.list()).queries
  for (let at = 0; at < 30; at += 1) await on.create({ query_name: `query ${at}`, source_query })
  const { headers, body } = await nines.call('GET', '/api/v1/tsdb/queries')
  expect([headers.get('etag'), body.total, body.queries.length]).toEqual([null, 31, 31])
  expect(body.queries[0]).toEqual(first)
  expect(new Set(body.queries.map((one: object) => Object.keys(one).join()))).toEqual(
    new Set([Object.keys(first).join()]),
  )
})

describe('a stored query', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const labels = ['service', ' region ']
    const { status, body } = await on.create({ query_name: ' Up ', metric_labels: labels, query_type: 'custom' })
    const stored = {
      id: 1,
      slo_id: on.slo,
      source_id: null,
      query_name: 'Up',
      source_query: 'up',
      query_type: 'custom',
      query_hash: sha256('up'),
      metric_labels: ['service', 'region'],
      evaluation_interval_seconds: 60,
      is_active: true,
      last_value: null,
      last_value_at: null,
      created_at: now(),
      updated_at: now(),
    }
    expect([status, body]).toEqual([201, stored])
    expect((await on.read(1)).body).toEqual(stored)
    expect(await on.list()).toEqual({ queries: [stored], total: 1 })
    nines.clock.advance(1000)
    const changed = { ...stored, query_name: 'Down', is_active: false, metric_labels: [], updated_at: now() }
    const answer = await on.change(1, { query_name: 'Down', is_active: false, metric_labels: [], slo_id: 7, id: 7 })
    expect([answer.status, answer.body]).toEqual([200, changed])
    expect((await on.read(1)).body).toEqual(changed)
    const removed = await on.remove(1)
    expect([removed.status, removed.body]).toEqual([200, { message: 'Query deleted' }])
    for (const gone of [await on.read(1), await on.change(1, { query_name: 'x' }), await on.remove(1)]) {
      expect(failure(gone)).toEqual([404, 'Query not found', undefined])
    }
    expect(await on.list()).toEqual({ queries: [], total: 0 })
  })

  test('has the hash of its expression, whatever the spacing and comments', async () => {
    const spellings = ['sum(up)/count(up)', ' sum( up )  /\n count(up) # the share']
    const [one, other] = [
      await on.create({ source_query: spellings[0] }),
      await on.create({ source_query: spellings[1] }),
    ]
    expect(one.body.query_hash).toBe(sha256('sum(up)/count(up)'))
    expect(other.body).toMatchObject({ query_hash: one.body.query_hash, source_query: spellings[1]?.trim() })
    expect((await on.change(1, { source_query: 'avg( up )' })).body.query_hash).toBe(sha256('avg(up)'))
  })

  test.each([
    [{ slo_id: 'x' }, 'slo_id: must be the SLO id, a whole number from 1'],
    [{ query_name: ' ' }, 'query_name: must be 1 to 200 characters, one of them visible, no control characters'],
    [
      { source_query: undefined },
      'source_query: is required: 1 to 10000 characters, no control characters but line breaks',
    ],
    [
      { query_type: 'other' },
      'query_type: must be one of availability, latency, throughput, error_rate, custom, ratio',
    ],
    [{ metric_labels: 'service' }, 'metric_labels: must be at most 50 texts of 1 to 200 characters'],
    [{ metric_labels: Array(51).fill('x') }, 'metric_labels: must be at most 50 texts of 1 to 200 characters'],
    [{ metric_labels: ['a', ''] }, 'metric_labels.1: must be 1 to 200 characters, no control characters'],
    [{ evaluation_interval_seconds: 9 }, 'evaluation_interval_seconds: must be a whole number from 10 to 86400'],
    [{ evaluation_interval_seconds: 86_401 }, 'evaluation_interval_seconds: must be a whole number from 10 to 86400'],
    [{ evaluation_interval_seconds: 10.5 }, 'evaluation_interval_seconds: must be a whole number from 10 to 86400'],
    [{ source_id: 99 }, 'source_id: must be a source of your organization'],
    [{ is_active: 1 }, 'is_active: must be true or false'],
  ])('is refused with %j', async (wrong, details) => {
    expect(failure(await on.create(wrong))).toEqual(invalid(details))
    expect((await on.list()).total).toBe(0)
    const id = await on.stored()
    nines.clock.advance(1000)
    if (!('slo_id' in wrong) && !Object.values(wrong).includes(undefined)) {
      expect(failure(await on.change(id, wrong))).toEqual(invalid(details))
    }
    const { created_at, updated_at } = (await on.read(id)).body
    expect(updated_at).toBe(created_at)
  })

  test.each([{}, { nope: 1 }, { slo_id: 1 }])('is not changed by %j', async (body) => {
    expect(failure(await on.change(await on.stored(), body))).toEqual(
      invalid('body: must have at least one known field of a query'),
    )
  })

  test('takes each interval and type that is allowed', async () => {
    for (const evaluation_interval_seconds of [10, 86_400]) {
      expect((await on.create({ evaluation_interval_seconds })).body).toMatchObject({ evaluation_interval_seconds })
    }
    for (const query_type of ['availability', 'latency', 'throughput', 'error_rate', 'custom', 'ratio']) {
      expect((await on.create({ query_type })).body).toMatchObject({ query_type })
    }
  })
})

describe('the list', () => {
  test('is narrowed by slo_id', async () => {
    const { body: other } = await nines.call('POST', '/api/v1/slos', checkout)
    await on.stored()
    const { body: theirs } = await on.create({ slo_id: other.id })
    expect(await on.list(`?slo_id=${other.id}`)).toEqual({ queries: [theirs], total: 1 })
    expect((await on.list()).total).toBe(2)
    expect(await on.list('?slo_id=99')).toEqual({ queries: [], total: 0 })
    const answer = await nines.call('GET', '/api/v1/tsdb/queries?slo_id=x')
    expect(failure(answer)).toEqual(invalid('slo_id: must be a whole number from 1 to 999999999999999'))
  })
})

describe('a deleted SLO', () => {
  test('takes no queries, and takes its own out of the list until it is restored', async () => {
    const id = await on.stored()
    await nines.call('DELETE', `/api/v1/slos/${on.slo}`)
    expect(failure(await on.create())).toEqual([404, 'SLO not found', undefined])
    expect(failure(await on.create({ slo_id: 99 }))).toEqual([404, 'SLO not found', undefined])
    expect((await on.list()).total).toBe(0)
    expect((await on.read(id)).body).toMatchObject(availability)
    await nines.call('PUT', `/api/v1/slos/${on.slo}`, { active: true })
    expect((await on.list()).total).toBe(1)
  })
})

describe('a source that a query names', () => {
  test('is not deleted as long as it does', async () => {
    await addSource('first')
    const { body: second } = await addSource('second')
    const id = await on.stored({ source_id: second.id })
    const removeSource = () => nines.call('DELETE', `/api/v1/tsdb/sources/${second.id}`)
    expect(failure(await removeSource())).toEqual([409, 'Source is in use', 'queries that name it: 1'])
    expect((await on.change(id, { source_id: null })).body.source_id).toBeNull()
    expect((await removeSource()).status).toBe(200)
  })
})
