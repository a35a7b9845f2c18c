import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { onlySource } from './only-source.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(async () => {
  closeAll()
  await nines.close()
})

const url = 'http://prometheus.example:9090'
const path = (id: number | undefined) => `/api/v1/tsdb/sources/${id}`
const create = (change: object = {}, token?: string) =>
  nines.call('POST', '/api/v1/tsdb/sources', { name: 'main', api_url: url, ...change }, token ? { token } : {})
const read = async (id: number | undefined) => (await nines.call('GET', path(id))).body
const change = (id: number | undefined, body: unknown) => nines.call('PUT', path(id), body)
const remove = (id: number | undefined) => nines.call('DELETE', path(id))
const list = async () => (await nines.call('GET', '/api/v1/tsdb/sources')).body
const defaults = async () =>
  (await list()).sources
    .filter((one: { is_default: boolean }) => one.is_default)
    .map((one: { name: string }) => one.name)
const failure = ({ status, body }: Answer) => [status, body.error, rulesOf(body)]
const invalid = (details: string) => [400, 'Invalid request', details]
/** Creates sources with these names one after the other and returns their ids. */
async function several(...names: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) ids.push((await create({ name })).body.id)
  return ids
}
const createSlo = (change: object = {}) =>
  nines.call('POST', '/api/v1/slos', {
    name: 'Checkout',
    target: 99,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: 'sum(rate(ok[5m])) / sum(rate(all[5m]))',
    ...change,
  })
const calculate = (slo_id: number) => nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id, time_window: '1h' })

describe('a source', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const { status, body } = await create({ name: ' main ', api_url: ` ${url}/prom// ` })
    const now = new Date(nines.clock.now()).toISOString()
    const stored = {
      id: 1,
      organization_id: 1,
      name: 'main',
      api_url: `${url}/prom`,
      auth: null,
      ...onlySource,
      created_at: now,
      updated_at: now,
    }
    expect([status, body]).toEqual([201, stored])
    expect(await read(1)).toEqual(stored)
    expect(await list()).toEqual({ sources: [stored], total: 1 })
    nines.clock.advance(1000)
    const later = new Date(nines.clock.now()).toISOString()
    const changed = { ...stored, name: 'other', is_active: false, updated_at: later }
    const answer = await change(1, { name: 'other', is_active: false, id: 7, organization_id: 7 })
    expect([answer.status, answer.body]).toEqual([200, changed])
    expect(await read(1)).toEqual(changed)
    const removed = await remove(1)
    expect([removed.status, removed.body]).toEqual([200, { message: 'Source deleted' }])
    expect(failure(await nines.call('GET', path(1)))).toEqual([404, 'Source not found', undefined])
    expect(await list()).toEqual({ sources: [], total: 0 })
  })

  test('has a name of its own in its organization, and only there', async () => {
    const [, second] = await several('main', 'second')
    const taken = [409, 'Source name already in use', 'name: must be a name that is not in use']
    expect(failure(await create())).toEqual(taken)
    expect(failure(await change(second, { name: 'main', is_active: false }))).toEqual(taken)
    expect(await list()).toMatchObject({ sources: [{ name: 'main' }, { name: 'second', is_active: true }], total: 2 })
    expect((await change(second, { name: 'second' })).status).toBe(200)
    expect((await create({}, await nines.join('eve'))).status).toBe(201)
  })

  test.each([
    [
      'no name',
      { name: undefined },
      'name: is required: 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a long name',
      { name: 'x'.repeat(201) },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a name of two lines',
      { name: 'a\nb' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    ['text as is_active', { is_active: 'true' }, 'is_active: must be true or false'],
    ['a number as is_default', { is_default: 1 }, 'is_default: must be true or false'],
  ])('is refused with %s', async (_, wrong, details) => {
    expect(failure(await create(wrong))).toEqual(invalid(details))
    const [id] = await several('main')
    if (!('name' in wrong && wrong.name === undefined))
      expect(failure(await change(id, wrong))).toEqual(invalid(details))
    expect(await list()).toMatchObject({ sources: [{ name: 'main', is_active: true, is_default: true }], total: 1 })
  })

  test.each([
    ['no URL', undefined],
    ['a number', 9090],
    ['nothing', ' '],
    ['no scheme', 'prometheus:9090'],
    ['no slashes', 'http:prometheus'],
    ['no host', 'http://'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'ftp://prometheus.example'],
    ['credentials', 'http://ada:s3cret@prometheus.example'],
    ['a user name', 'http://ada@prometheus.example'],
    ['a query string', `${url}/?tenant=1`],
    ['an empty query string', `${url}?`],
    ['a fragment', `${url}/#top`],
    ['an empty fragment', `${url}/#`],
    ['a space', 'http://prometheus.example/a b'],
    ['a line break', 'http://prometheus\n.example'],
    ['a NUL', `${url}/\u0000`],
    ['a broken port', 'http://prometheus.example:99999'],
    ['2001 characters', `${url}/`.padEnd(2001, 'x')],
  ])('is refused with %s for api_url', async (_, api_url) => {
    const rule = api_url === undefined ? 'is required:' : 'must be'
    const details = `api_url: ${rule} an http(s) URL without credentials, query string and fragment, or embedded`
    expect(failure(await create({ api_url }))).toEqual(invalid(details))
    expect((await list()).total).toBe(0)
  })

  test.each([
    'https://mimir.example/prometheus',
    'http://[::1]:9090',
    'HTTP://10.0.0.1',
    'http://pröm.example/a%20b',
    `${url}/`.padEnd(2000, 'x'),
  ])('may be at %.60s', async (api_url) => {
    const { status, body } = await create({ api_url })
    expect([status, body.api_url]).toEqual([201, api_url])
  })

  test.each([{}, { nope: 1 }, { id: 2 }])('is not changed by %j', async (body) => {
    const [id] = await several('main')
    nines.clock.advance(1000)
    expect(failure(await change(id, body))).toEqual(invalid('body: must have at least one known field of a source'))
    const { created_at, updated_at } = await read(id)
    expect(updated_at).toBe(created_at)
  })
})

describe('the default', () => {
  test('is the first source, whatever it says, and no later one that does not say so', async () => {
    await create({ name: 'first', is_default: false })
    await create({ name: 'second' })
    expect(await defaults()).toEqual(['first'])
  })

  test('moves to a source that says so, when created or changed', async () => {
    const [first] = await several('first')
    await create({ name: 'second', is_default: true })
    expect(await defaults()).toEqual(['second'])
    await change(first, { is_default: true })
    expect(await defaults()).toEqual(['first'])
    await change(first, { is_default: true, name: 'still first' })
    expect(await defaults()).toEqual(['still first'])
  })

  test('cannot be given up, only handed over', async () => {
    const [first, second] = await several('first', 'second')
    expect(failure(await change(first, { is_default: false, name: 'x' }))).toEqual(
      invalid('is_default: cannot be false: make another source the default instead'),
    )
    expect((await change(second, { is_default: false })).status).toBe(200)
    expect(await defaults()).toEqual(['first'])
  })

  test('is inherited by the oldest of the others when it is deleted', async () => {
    const [first, , third] = await several('first', 'second', 'third')
    await change(third, { is_default: true })
    await remove(third)
    expect(await defaults()).toEqual(['first'])
    await remove(first)
    expect(await defaults()).toEqual(['second'])
  })

  test('is moved in its own organization only', async () => {
    const eve = await nines.join('eve')
    await create({ name: 'hers' }, eve)
    await several('first', 'second')
    await create({ name: 'third', is_default: true })
    const hers = await nines.call('GET', '/api/v1/tsdb/sources', undefined, { token: eve })
    expect(hers.body.sources).toMatchObject([{ name: 'hers', is_default: true }])
  })

  test('is queried where an SLO names no source', async () => {
    const [one, two] = [fakeSource(() => 0.999), fakeSource(() => 0.5)]
    closeLater(() => [one, two].forEach((source) => source.close()))
    await create({ name: 'one', api_url: one.url })
    const { body } = await create({ name: 'two', api_url: two.url })
    await createSlo()
    await createSlo({ source_id: body.id })
    expect((await calculate(1)).body.metadata.source_name).toBe('one')
    expect((await calculate(2)).body.metadata.source_name).toBe('two')
    await change(body.id, { is_default: true })
    expect((await calculate(1)).body.metadata.source_name).toBe('two')
  })
})

describe('a source in use', () => {
  test('is not deleted while an SLO names it, not even a deleted one', async () => {
    const [, second] = await several('first', 'second')
    const { body: slo } = await createSlo({ source_id: second })
    const inUse = [409, 'Source is in use', 'SLOs that name it: 1']
    expect(failure(await remove(second))).toEqual(inUse)
    await nines.call('DELETE', `/api/v1/slos/${slo.id}`)
    expect(failure(await remove(second))).toEqual(inUse)
    await nines.call('PUT', `/api/v1/slos/${slo.id}`, { source_id: null, active: true })
    expect((await remove(second)).status).toBe(200)
  })

  test('that is switched off is not queried', async () => {
    const source = fakeSource(() => 0.999)
    closeLater(() => source.close())
    await create({ name: 'main', api_url: source.url, is_active: false })
    for (const own of [{}, { source_id: 1 }]) await createSlo(own)
    const query = () => nines.call('POST', '/api/v1/tsdb/query', { query: 'up' })
    for (const answer of [await calculate(1), await calculate(2), await query()]) {
      expect(failure(answer)).toEqual([503, 'No active metrics source', 'the source main is not active'])
    }
    expect(source.asked).toEqual([])
    await change(1, { is_active: true })
    expect((await calculate(1)).status).toBe(200)
  })

  test('is missed where there is none', async () => {
    await createSlo()
    expect(failure(await calculate(1))).toEqual([
      503,
      'No active metrics source',
      'no metrics source is set up; an administrator can add one',
    ])
  })
})
