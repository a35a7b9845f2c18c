import { describe, expect, test } from 'bun:test'
import { cacheCalls } from '../support/cache-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

const minuteNs = 60_000_000_000
const on = cacheCalls()

describe('an entry', () => {
  test('is stored by a member and read by a viewer, with all its fields', async () => {
    const stored = await on.put()
    expect([stored.status, stored.body]).toEqual([200, { success: true, message: 'Cache entry stored' }])
    on.nines.clock.advance(1000)
    const { status, body } = await on.read('mine')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        key: 'mine',
        query_hash: new Bun.CryptoHasher('sha256').update('up').digest('hex'),
        query: 'up',
        slo_id: 5,
        time_window: '1h',
        result: { value: [1, 'x', null] },
        cached_at: on.at(0),
        expires_at: on.at(300_000),
        hit_count: 1,
        last_hit: on.at(1000),
        is_fresh: true,
      },
    })
  })

  const results = [null, false, 0, '', [], {}, 'text', [1.5, { a: { b: null } }], { length: 1, name: 'x', toJSON: 'y' }]
  test.each(results.map((result) => [result] as const))('may have %j for a result', async (result) => {
    expect((await on.put({ result })).status).toBe(200)
    expect((await on.read('mine')).body.data.result).toEqual(result)
  })

  test.each([
    'a/b/c',
    'a%2Fb',
    '100%',
    ' with blanks ',
    'käse/€/😀',
    '?x=1&y#z',
    'query:1:24h:abc',
    'a+b',
    '*',
    '"quoted"',
    '__proto__',
    'x'.repeat(1024),
  ])('may have the key %j', async (key) => {
    expect((await on.put({ key })).status).toBe(200)
    expect((await on.read(key)).body.data.key).toBe(key)
    expect((await on.remove(key)).status).toBe(200)
    expect((await on.read(key)).status).toBe(404)
  })

  test.each([
    ['key', undefined],
    ['key', ''],
    ['key', 5],
    ['key', null],
    ['key', 'a\nb'],
    ['key', 'x'.repeat(1025)],
    ['key', '\ufffd'],
    ['key', '\ud800'],
    ['query', undefined],
    ['query', ''],
    ['slo_id', undefined],
    ['slo_id', '5'],
    ['slo_id', -1],
    ['slo_id', 1.5],
    ['time_window', undefined],
    ['time_window', 7],
    ['result', undefined],
    ['ttl', '5m'],
    ['ttl', 0],
    ['ttl', -1],
    ['ttl', 1.5],
    ['ttl', null],
    ['ttl', 2 ** 53 + 2],
  ])('is refused with %s %p, and nothing is stored', async (field, value) => {
    const { status, body } = await on.put({ [field]: value })
    expect([status, body.success]).toEqual([400, false])
    expect(body.details).toStartWith(`${field}: `)
    expect((await on.list()).total).toBe(0)
  })

  test('lives for its ttl in nanoseconds, and is still served when it is stale', async () => {
    await on.put({ ttl: 2 * minuteNs })
    on.nines.clock.advance(119_999)
    expect((await on.read('mine')).body.data).toMatchObject({ is_fresh: true, expires_at: on.at(120_000) })
    on.nines.clock.advance(1)
    expect((await on.read('mine')).body.data.is_fresh).toBe(false)
  })

  test.each([
    [1, 1],
    [1_000_000, 1],
    [1_000_001, 2],
    [2 ** 53, 9_007_199_255],
  ])('with a ttl of %p ns expires after %p ms', async (ttl, ms) => {
    await on.put({ ttl })
    expect((await on.read('mine')).body.data.expires_at).toBe(on.at(ms))
  })

  test('replaces the one of its key', async () => {
    await on.put()
    await on.put({ result: 'new', query: 'down' })
    expect((await on.read('mine')).body.data).toMatchObject({ result: 'new', query: 'down', hit_count: 1 })
    expect((await on.list()).total).toBe(1)
  })

  test('that is absent is not found, and counts as a miss', async () => {
    const answer = await on.read('other')
    expect([answer.status, answer.body]).toEqual([404, { success: false, error: 'Cache entry not found' }])
    const removed = await on.remove('other')
    expect([removed.status, removed.body.error]).toEqual([404, 'Cache entry not found'])
    const before = await on.misses()
    await on.read('other')
    expect(await on.misses()).toBe(before + 1)
  })

  test.each(['GET', 'DELETE'])('cannot be requested without a key by %s', async (method) => {
    for (const end of ['', '/']) {
      const { status, body } = await on.nines.call(method, `/api/v1/cache/entry${end}`, undefined, on.who.member)
      expect([status, body.error, rulesOf(body)]).toEqual([
        400,
        'Invalid request',
        'key: is required in the path: /cache/entry/KEY',
      ])
    }
  })

  test.each(['%ff', '%zz', '%00', 'a%0ab', '%EF%BF%BD'])('cannot be requested by %s', async (key) => {
    const { status, body } = await on.nines.call('GET', `/api/v1/cache/entry/${key}`, undefined, on.who.viewer)
    expect([status, rulesOf(body)]).toEqual([400, 'key: must be 1 to 1024 characters, no control characters'])
  })

  test('survives a restart once it was written', async () => {
    await on.put()
    await on.nines.app.cache.flush()
    const rows = await on.nines.app.db.read.selectFrom('cache_entries').select('key').execute()
    expect(rows).toEqual([{ key: 'mine' }])
  })
})

describe('organizations', () => {
  test('have entries of their own under the same key', async () => {
    await on.put({ result: 'ours' })
    await on.put({ result: 'theirs' }, on.who.stranger)
    expect((await on.read('mine')).body.data.result).toBe('ours')
    expect((await on.read('mine', on.who.stranger)).body.data.result).toBe('theirs')
    expect((await on.invalidate({ type: 'all' }, on.who.stranger)).body.data.invalidations).toBe(1)
    expect((await on.read('mine')).body.data).toMatchObject({ result: 'ours', hit_count: 2 })
    expect([(await on.list()).total, (await on.list('', on.who.stranger)).total]).toEqual([1, 0])
  })
})

test('a viewer changes nothing', async () => {
  await on.put()
  const refused = await Promise.all([
    on.put({ result: 2 }, on.who.viewer),
    on.invalidate({ type: 'all' }, on.who.viewer),
    on.remove('mine', on.who.viewer),
    on.nines.call('POST', '/api/v1/cache/warmup', { queries: [] }, on.who.viewer),
  ])
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect((await on.read('mine')).body.data.result).toEqual(on.entry.result)
})
