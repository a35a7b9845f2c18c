import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { limited, type Options, post, startSeconds, statuses, limitHeaders } from '../support/limited.ts'
import { talkTo } from '../support/raw-request.ts'

afterEach(closeAll)

describe('the headers', () => {
  test('are on every answer, and count down', async () => {
    const env = { RATE_LIMIT_PER_IP: '60', RATE_LIMIT_GLOBAL: '1000', BODY_LIMIT: '1024', CORS_ORIGINS: '*' }
    const nines = await limited(env)
    const preflight = { method: 'OPTIONS', headers: { origin: 'http://page', 'access-control-request-method': 'POST' } }
    const asks: [number, string, Options?][] = [
      [401, '/api/v1/slos'],
      [404, '/nope'],
      [405, '/api/v1/slos', { method: 'DELETE' }],
      [413, '/api/v1/auth/login', { ...post, body: ' '.repeat(2000) }],
      [415, '/api/v1/auth/login', { ...post, headers: { 'content-type': 'text/plain' } }],
      [400, '/api/v1/auth/login', { ...post, body: '{' }],
      [204, '/api/v1/slos', preflight],
    ]
    for (const [nth, [status, path, options]] of asks.entries()) {
      const answer = await nines.from('203.0.113.7', path, options)
      expect([answer.status, limitHeaders(answer)]).toEqual([status, `60 ${59 - nth} ${startSeconds + nth + 1}`])
    }
  })

  test('have the numbers of the bucket with the least left', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '5', RATE_LIMIT_GLOBAL: '6' })
    expect(limitHeaders(await nines.from('203.0.113.1'))).toBe(`5 4 ${startSeconds + 12}`)
    expect(limitHeaders(await nines.from('203.0.113.2'))).toBe(`5 4 ${startSeconds + 12}`)
    expect(limitHeaders(await nines.from('203.0.113.3'))).toBe(`6 3 ${startSeconds + 30}`)
  })

  test('are absent where nothing is limited', async () => {
    const nines = await limited({})
    expect(limitHeaders(await nines.from('203.0.113.7'))).toBe('  ')
  })
})

describe('probes', () => {
  test.each(['/health', '/ready'])('%s is answered whatever is left, and takes nothing', async (path) => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '1', RATE_LIMIT_GLOBAL: '1' })
    expect(await statuses(nines, 3, '203.0.113.7', path)).toEqual([200, 200, 200])
    expect(await statuses(nines, 2, '203.0.113.7')).toEqual([401, 429])
    const probe = await nines.from('203.0.113.7', path)
    expect([probe.status, limitHeaders(probe)]).toEqual([200, `1 0 ${startSeconds + 60}`])
  })

  test.each([
    ['GET', '/health/'],
    ['GET', '/health?x'],
    ['GET', '/x/health'],
    ['GET', '/api/v1/slos?/health'],
    ['GET', '/metrics'],
    ['POST', '/health'],
  ])('%s %s counts', async (method, path) => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '1' })
    expect(await statuses(nines, 1, '203.0.113.7')).toEqual([401])
    expect(await statuses(nines, 1, '203.0.113.7', path, { method })).toEqual([429])
  })

  test('are recognized with a host of any length, and with none', async () => {
    const nines = await limited({ RATE_LIMIT_PER_IP: '1', TRUST_PROXY: '' })
    const ask = (path: string, rest: string) =>
      talkTo(nines.url, `GET ${path} HTTP/1.${rest}\r\nConnection: close\r\n\r\n`)
    expect(await ask('/nope', '1\r\nHost: abc')).toStartWith('HTTP/1.1 404 ')
    expect(await ask('/a/health', '1\r\nHost: abc')).toStartWith('HTTP/1.1 429 ')
    expect(await ask('/health', '1\r\nHost: a')).toStartWith('HTTP/1.1 200 ')
    expect(await ask('/health', '0')).toStartWith('HTTP/1.1 200 ')
  })
})
