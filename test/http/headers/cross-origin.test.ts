import { afterEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'

const open: TestApp[] = []
afterEach(async () => {
  for (const nines of open.splice(0)) await nines.close()
})

const page = 'https://page.example'
const asking = { 'access-control-request-method': 'POST' }

async function started(env: Record<string, string>) {
  const nines = await testApp({ env: { CORS_ORIGINS: `${page},https://other.example`, ...env } })
  open.push(nines)
  const from = (origin: string, method = 'GET', path = '/api/v1/slos', more: Record<string, string> = {}) =>
    nines.call(method, path, undefined, { token: null, headers: { origin, ...more } })
  return { ...nines, from }
}

describe('a page of an allowed origin may read', () => {
  test('answers that refuse it: 401, 404, 405 and 429, and how long to wait', async () => {
    const { from } = await started({ RATE_LIMIT_PER_IP: '3' })
    const answers = [await from(page), await from(page, 'GET', '/nope'), await from(page, 'PATCH'), await from(page)]
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 405, 429])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(page)
      expect(headers.get('vary')).toBe('Origin')
      expect(headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
    }
  })

  test('that its address is blocked', async () => {
    const nines = await started({ RATE_LIMIT_BLOCK: '127.0.0.1' })
    const blocked = await fetch(`${nines.listen()}/api/v1/slos`, { headers: { origin: page } })
    expect([blocked.status, blocked.headers.get('access-control-allow-origin')]).toEqual([403, page])
  })
})

describe('a preflight', () => {
  test('is answered for every path', async () => {
    const { from } = await started({})
    const { status, headers, text } = await from(page, 'OPTIONS', '/api/v1/slos', asking)
    expect([status, text]).toEqual([204, ''])
    expect(headers.get('access-control-allow-origin')).toBe(page)
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toBe('Content-Type, Authorization, X-Requested-With')
    expect(headers.get('access-control-max-age')).toBe('600')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test('counts as a read, and is refused like one', async () => {
    const { from } = await started({ RATE_LIMIT_PER_IP: '2', RATE_LIMIT_WRITES_PER_IP: '1' })
    const answers = [1, 2, 3].map(() => from(page, 'OPTIONS', '/api/v1/slos', asking))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 204, 429])
    expect((await from(page, 'POST')).status).not.toBe(429)
  })

  test('of a blocked address is refused', async () => {
    const nines = await started({ RATE_LIMIT_BLOCK: '127.0.0.1' })
    const headers = { origin: page, ...asking }
    expect((await fetch(`${nines.listen()}/api/v1/slos`, { method: 'OPTIONS', headers })).status).toBe(403)
  })

  test('is only what names a method: any other OPTIONS is a method like others', async () => {
    const { from } = await started({})
    expect((await from(page, 'OPTIONS', '/health')).status).toBe(405)
    expect((await from(page, 'OPTIONS', '/nope')).status).toBe(404)
  })
})

test.each(['https://evil.example', 'http://page.example', `${page}.evil.example`, 'page.example', 'null', 'toString'])(
  'no page of %s may read anything',
  async (origin) => {
    const { from } = await started({})
    for (const answer of [await from(origin), await from(origin, 'OPTIONS', '/api/v1/slos', asking)]) {
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  },
)

test('"*" lets any page in', async () => {
  const { from } = await started({ CORS_ORIGINS: '*' })
  expect((await from('https://any.example')).headers.get('access-control-allow-origin')).toBe('*')
})
