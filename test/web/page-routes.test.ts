import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { pagePaths } from '../../src/web/page-routes.ts'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
let base: string
beforeAll(async () => {
  nines = await testApp({ env: { PUBLIC_URL: 'https://nines.example/slo', PORT: '0', RATE_LIMIT_PER_IP: '50' } })
  base = nines.listen()
})
afterAll(() => nines.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${base}${path}`, { headers })
const assetsOf = (html: string) => [...html.matchAll(/\/slo(\/assets\/[^"#]+)"/g)].map(([, path]) => path ?? '')

test.each([...pagePaths])('%p is the page, and is asked for anew each time', async (path) => {
  const { status, headers, text } = await nines.call('GET', path.replace(':id', '1').replace(':part', 'alerts'))
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ])
  expect(text).toContain('<meta name="base" content="/slo">')
})

test('no path of the page is counted by the rate limit, nor refused while it is used up', async () => {
  const limited = await testApp({ env: { RATE_LIMIT_PER_IP: '1', RATE_LIMIT_GLOBAL: '1' } })
  const statusOf = async (path: string, method = 'GET') => (await limited.call(method, path)).status
  expect([await statusOf('/api/v1/slos'), await statusOf('/api/v1/slos')]).toEqual([401, 429])
  for (const path of pagePaths) {
    const at = path.replace(':id', '1')
    expect([at, await statusOf(at), await statusOf(`${at}?acknowledge=1`)]).toEqual([at, 200, 200])
  }
  expect(await statusOf('/incidents/81/')).toBe(200)
  for (const path of ['/nowhere', '/incidents/81/notes', '/api/v1/slos?/incidents'])
    expect(await statusOf(path)).toBe(429)
  expect(await statusOf('/incidents/81', 'POST')).toBe(429)
  await limited.close()
})

describe('a path of no route', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  test.each(['/nowhere', '/slos/x/unknown', '/settings/me', '/favicon.ico/'])(
    '%p is the page, as 404, to a browser',
    async (path) => {
      const { status, headers, text } = await nines.call('GET', path, undefined, { headers: browser })
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toContain("default-src 'self'")
      expect(text).toContain('<meta name="base" content="/slo">')
    },
  )

  test.each([
    '/api',
    '/api/v1/unknown',
    '/docs/unknown',
    '/oauth/unknown',
    '/embedded/unknown',
    '/metrics/x',
    '/assets/x.js',
  ])('%p is an error in JSON, to a browser too', async (path) => {
    const { status, body } = await nines.call('GET', path, undefined, { headers: browser })
    expect([status, body]).toEqual([404, { success: false, error: 'Not found' }])
  })

  test.each([
    ['GET', {}],
    ['GET', { accept: 'application/json' }],
    ['POST', browser],
  ])('%s with %p is an error in JSON', async (method, headers) => {
    const { status, body } = await nines.call(method, '/nowhere', undefined, { headers })
    expect([status, body]).toEqual([404, { success: false, error: 'Not found' }])
  })
})

test('what development adds is not there', async () => {
  expect((await get('/dev/reload')).status).toBe(404)
  expect((await get('/dev/reload.js')).status).toBe(404)
  expect(await (await get('/')).text()).not.toContain('/dev/')
})

describe('what the page loads', () => {
  test('what the page loads is here, is kept for ever, and bears its content in its name', async () => {
    const paths = assetsOf(await (await get('/')).text())
    expect(paths).toHaveLength(6)
    for (const path of paths) {
      const { status, headers } = await get(path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
      expect(path).toMatch(/-[0-9a-z]{8}\.(js|css|svg|woff2)$/)
    }
  })

  test('what the page loads comes packed as the browser takes it', async () => {
    const path = assetsOf(await (await get('/')).text()).find((one) => one.endsWith('.css')) ?? ''
    const raw = Buffer.from(await (await get(path, { 'accept-encoding': 'identity' })).arrayBuffer())
    const packed = async (accept: string) => {
      const response = await fetch(`${base}${path}`, { headers: { 'accept-encoding': accept }, decompress: false })
      return [response.headers.get('content-encoding'), Buffer.from(await response.arrayBuffer())] as const
    }
    const [br, byBrotli] = await packed('gzip, br')
    const [gzip, byGzip] = await packed('gzip, br;q=0')
    expect([br, gzip, (await packed('zstd'))[0]]).toEqual(['br', 'gzip', null])
    expect(brotliDecompressSync(byBrotli).equals(raw)).toBe(true)
    expect(gunzipSync(byGzip).equals(raw)).toBe(true)
  })

  test('what the page loads holds no font as data, which the policy forbids', async () => {
    const paths = assetsOf(await (await get('/')).text())
    for (const path of paths.filter((one) => one.endsWith('.css'))) {
      expect(await (await get(path)).text()).not.toContain('data:font')
    }
  })

  test('what the page loads is not counted by the rate limit', async () => {
    const [path = ''] = assetsOf(await (await get('/')).text())
    for (let n = 0; n < 60; n += 1) expect((await get(path)).status).toBe(200)
  })

  test('what the page loads is 404 under a name that does not exist', async () => {
    expect((await get('/assets/main-00000000.js')).status).toBe(404)
    expect((await get('/assets/..%2f..%2fetc%2fpasswd')).status).toBe(404)
  })
})
