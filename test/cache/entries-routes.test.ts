import { beforeEach, describe, expect, test } from 'bun:test'
import { cacheCalls } from '../support/cache-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

const minuteNs = 60_000_000_000
const on = cacheCalls()

describe('the list', () => {
  beforeEach(async () => {
    for (let n = 1; n <= 25; n++)
      await on.put({ key: `key ${n}`, slo_id: n % 5, ttl: n > 20 ? minuteNs : 10 * minuteNs })
    on.nines.clock.advance(90_000)
  })

  test('has 20 a page, and only what it promises of an entry', async () => {
    const { entries, ...page } = await on.list()
    expect(page).toEqual({ total: 25, page: 1, page_size: 20, has_next: true })
    expect(entries).toHaveLength(20)
    expect(entries[0]).toEqual({
      key: 'key 25',
      query: 'up',
      slo_id: 0,
      time_window: '1h',
      cached_at: on.at(0),
      expires_at: on.at(60_000),
      hit_count: 0,
      is_fresh: false,
    })
  })

  test('goes on to the last page', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => on.keys(`?page=${page}&page_size=10`)))
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5])
    expect(new Set(pages.flat()).size).toBe(25)
    expect(await on.list('?page=3&page_size=10')).toMatchObject({ has_next: false, total: 25 })
    expect(await on.list('?page=4&page_size=10')).toMatchObject({ entries: [], has_next: false, total: 25 })
  })

  test.each([
    ['?slo_id=3', 5],
    ['?slo_id=0', 5],
    ['?slo_id=77', 0],
    ['?fresh=true', 20],
    ['?fresh=false', 5],
    ['?fresh=false&slo_id=1', 1],
  ])('with %s has %p entries', async (query, total) => {
    expect((await on.list(query)).total).toBe(total)
  })

  test.each(['page=0', 'page_size=0', 'page_size=101', 'page=x', 'slo_id=x', 'slo_id=-1', 'fresh=maybe', 'fresh='])(
    'is refused with %s',
    async (query) => {
      const { status, body } = await on.nines.call('GET', `/api/v1/cache/entries?${query}`, undefined, on.who.viewer)
      expect([status, body.details]).toEqual([400, expect.stringMatching(new RegExp(`^${query.split('=')[0]}: must `))])
    },
  )
})

describe('invalidation', () => {
  beforeEach(async () => {
    for (const key of ['query:1:1h:a', 'query:1:24h:b', 'query:2:1h:c']) await on.put({ key, slo_id: Number(key[6]) })
    await on.put({ key: 'stale', slo_id: 9, ttl: 1 })
    on.nines.clock.advance(10)
  })

  test.each([
    [{ type: 'key', key: 'query:1:1h:a' }, ['query:2:1h:c', 'query:1:24h:b', 'stale'], 1],
    [{ type: 'key', key: 'query:1' }, ['query:2:1h:c', 'query:1:24h:b', 'query:1:1h:a', 'stale'], 0],
    [{ type: 'slo', slo_id: 1 }, ['query:2:1h:c', 'stale'], 2],
    [{ type: 'pattern', pattern: 'query:1:' }, ['query:2:1h:c', 'stale'], 2],
    [{ type: 'pattern', pattern: 'query:*:1h:?' }, ['query:1:24h:b', 'stale'], 2],
    [{ type: 'expired' }, ['query:2:1h:c', 'query:1:24h:b', 'query:1:1h:a'], 1],
    [{ type: 'all' }, [], 4],
  ])('of %j leaves %j', async (body, left, invalidations) => {
    const answer = await on.invalidate(body)
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, message: 'Cache invalidated', data: { type: body.type, invalidations, timestamp: on.at(10) } },
    ])
    expect((await on.keys()).toSorted()).toEqual(left.toSorted())
  })

  test.each([
    [{}, 'type: is required: one of key, slo, pattern, expired, all'],
    [{ type: 'everything' }, 'type: must be one of key, slo, pattern, expired, all'],
    [{ type: 'key' }, 'key: is required with the type key'],
    [{ type: 'slo', key: 'x' }, 'slo_id: is required with the type slo'],
    [{ type: 'pattern' }, 'pattern: is required with the type pattern'],
    [{ type: 'pattern', pattern: '' }, 'pattern: must be 1 to 1024 characters, no control characters'],
    [{ type: 'slo', slo_id: '1' }, 'slo_id: must be an SLO id, or 0 for none'],
  ])('%j is refused, and nothing goes', async (body, details) => {
    const answer = await on.invalidate(body)
    expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
    expect((await on.list()).total).toBe(4)
  })
})
