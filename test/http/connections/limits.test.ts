import { afterEach, describe, expect, test } from 'bun:test'
import { securityHeaders } from '../../../src/http/headers/headers.ts'
import { closeAll } from '../../support/closing.ts'
import { limited, post, startSeconds, statuses, limitHeaders } from '../../support/limited.ts'

afterEach(closeAll)

describe('the limit of an address', () => {
  test('refuses what is over it, with the specified body, and lets one in as soon as there is room', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '3' })
    expect(await statuses(nines, 3, '203.0.113.7')).toEqual([401, 401, 401])
    const refused = await nines.from('203.0.113.7')
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        success: false,
        error: 'Rate limit exceeded',
        limit: 3,
        window: '1m',
        message: 'At most 3 requests a minute for one address; try again in 20 s',
      },
    ])
    expect(limitHeaders(refused)).toBe(`3 0 ${startSeconds + 60}`)
    expect(refused.headers.get('retry-after')).toBe('20')
    for (const [name, value] of Object.entries(securityHeaders)) expect(refused.headers.get(name)).toBe(value)
    nines.clock.advance(20_000)
    expect(await statuses(nines, 2, '203.0.113.7')).toEqual([401, 429])
  })

  test('is for each its own: one IPv4 address, or one IPv6 network of 64 bits', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '2' })
    expect(await statuses(nines, 3, '203.0.113.7')).toEqual([401, 401, 429])
    expect(await statuses(nines, 1, '203.0.113.8')).toEqual([401])
    expect(await statuses(nines, 2, '2001:db8:0:1::1')).toEqual([401, 401])
    expect(await statuses(nines, 1, '2001:db8:0:1:ffff:ffff:ffff:ffff')).toEqual([429])
    expect(await statuses(nines, 1, '2001:db8:0:2::1')).toEqual([401])
  })

  test('is not widened by a header of a client that is no proxy', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '2', TRUST_PROXY: '' })
    expect(await statuses(nines, 1, '203.0.113.1')).toEqual([401])
    expect(await statuses(nines, 1, '203.0.113.2')).toEqual([401])
    expect(await statuses(nines, 1, '203.0.113.3')).toEqual([429])
  })

  test('is not widened by what a client puts in front of its own address', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '2' })
    for (const [nth, status] of [401, 401, 429].entries()) {
      expect((await nines.from(`198.51.100.${nth}, 203.0.113.7`)).status).toBe(status)
    }
  })

  test('counts writes with reads, unless they have a limit of their own', async () => {
    const joint = await limited({ RATE_LIMIT_PER_IP: '2' })
    expect(await statuses(joint, 2, '203.0.113.7')).toEqual([401, 401])
    expect(await statuses(joint, 1, '203.0.113.7', undefined, post)).toEqual([429])

    const apart = await limited({ RATE_LIMIT_PER_IP: '2', RATE_LIMIT_WRITES_PER_IP: '1' })
    expect(await statuses(apart, 2, '203.0.113.7', undefined, post)).toEqual([401, 429])
    const refused = await apart.from('203.0.113.7', undefined, post)
    expect(refused.body).toMatchObject({ limit: 1, message: expect.stringContaining('for writes from one address') })
    expect(await statuses(apart, 3, '203.0.113.7')).toEqual([401, 401, 429])
    expect((await apart.from('203.0.113.7')).body.message).toContain('for reads from one address')
  })

  test('may hold for writes alone', async () => {
    const nines = await limited({ RATE_LIMIT_WRITES_PER_IP: '1' })
    expect(await statuses(nines, 5, '203.0.113.7')).toEqual([401, 401, 401, 401, 401])
    expect(await statuses(nines, 2, '203.0.113.7', undefined, post)).toEqual([401, 429])
  })

  test('refuses before anything is done', async () => {
    const nines = await limited({ RATE_LIMIT_WRITES_PER_IP: '1' })
    const account = (name: string) => ({
      ...post,
      body: JSON.stringify({ email: `${name}@example.com`, name, password: 'correct horse', setup_token }),
    })
    const setup_token = nines.app.setupToken.secret()
    expect((await nines.from('203.0.113.7', '/api/v1/auth/register', account('ada'))).status).toBe(201)
    expect((await nines.from('203.0.113.7', '/api/v1/auth/register', account('eve'))).status).toBe(429)
    const users = await nines.app.db.read.selectFrom('users').select('name').execute()
    expect(users).toEqual([{ name: 'ada' }])
  })
})

describe('the limit of all addresses', () => {
  test('refuses any address', async () => {
    const nines = await limited({ RATE_LIMIT_GLOBAL: '3' })
    for (const [nth, status] of [401, 401, 401, 429].entries()) {
      expect((await nines.from(`203.0.113.${nth}`)).status).toBe(status)
    }
    const message = 'At most 3 requests a minute for all addresses together; try again in 20 s'
    expect((await nines.from('203.0.113.9')).body).toMatchObject({ limit: 3, window: '1m', message })
  })

  test('costs nobody a request of his own where it refuses', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '2', RATE_LIMIT_GLOBAL: '3' })
    expect(await statuses(nines, 2, '203.0.113.1')).toEqual([401, 401])
    expect(await statuses(nines, 5, '203.0.113.7')).toEqual([401, 429, 429, 429, 429])
    // one more token for the whole server, but only two thirds of one for the address
    nines.clock.advance(20_000)
    expect(await statuses(nines, 2, '203.0.113.7')).toEqual([401, 429])
  })

  test('is not drained by a client that is over its own', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '2', RATE_LIMIT_GLOBAL: '4' })
    expect(await statuses(nines, 50, '203.0.113.1')).toEqual([401, 401, ...Array<number>(48).fill(429)])
    expect(await statuses(nines, 3, '203.0.113.2')).toEqual([401, 401, 429])
  })
})

describe('lists', () => {
  const lists = {
    RATE_LIMIT_PER_IP: '1',
    RATE_LIMIT_GLOBAL: '2',
    RATE_LIMIT_ALLOW: '203.0.113.0/24,2001:db8::/32',
    RATE_LIMIT_BLOCK: '203.0.113.66, 198.51.100.0/24',
  }

  test('allowed addresses pass uncounted', async () => {
    const nines = await limited(lists)
    for (const ip of ['203.0.113.7', '2001:db8::7', '::ffff:203.0.113.7']) {
      expect(await statuses(nines, 3, ip)).toEqual([401, 401, 401])
    }
    expect((await nines.from('203.0.113.7')).headers.has('x-ratelimit-limit')).toBe(false)
    expect(await statuses(nines, 2, '192.0.2.1')).toEqual([401, 429])
  })

  test.each(['198.51.100.9', '203.0.113.66', '::ffff:198.51.100.9'])('%s is refused everything', async (ip) => {
    const nines = await limited(lists)
    const asks = [
      ['/api/v1/slos'],
      ['/health'],
      ['/ready'],
      ['/metrics'],
      ['/nope'],
      ['/api/v1/auth/login', post],
    ] as const
    for (const [path, options] of asks) {
      const answer = await nines.from(ip, path, options)
      expect([answer.status, answer.body]).toEqual([403, { success: false, error: 'Address is blocked' }])
      expect(answer.headers.get('x-frame-options')).toBe('DENY')
    }
  })

  test('hold on a plain socket, and where every limit is off', async () => {
    const nines = await limited({ TRUST_PROXY: '', RATE_LIMIT_BLOCK: '127.0.0.0/8' })
    expect((await fetch(`${nines.url}/health`)).status).toBe(403)
  })
})
