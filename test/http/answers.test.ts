import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { securityHeaders } from '../../src/http/headers/headers.ts'
import { assertLongHost } from '../../src/http/headers/request-headers.ts'
import { type Answer, type TestApp, testApp } from '../support/app.ts'
import { readExposition } from '../support/exposition.ts'

let nines: TestApp
let url: string
beforeAll(async () => {
  nines = await testApp({ env: { BODY_LIMIT: '2048' } })
  await nines.join('ada')
  url = nines.listen()
})
afterAll(() => nines.close())

const failure = ({ status, body }: Answer) => [status, body]
const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }

describe('the status table', () => {
  test('404 for an unknown path, with or without a token', async () => {
    const answer = [404, { success: false, error: 'Not found' }]
    expect(failure(await nines.call('GET', '/api/v1/nope'))).toEqual(answer)
    expect(failure(await nines.call('GET', '/api/v2/slos', undefined, { token: null }))).toEqual(answer)
    expect(failure(await nines.call('GET', '/API/v1/slos'))).toEqual(answer)
  })

  test.each([
    ['PATCH', '/api/v1/slos/5', 'DELETE, GET, HEAD, PUT'],
    ['DELETE', '/api/v1/slos', 'GET, HEAD, POST'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['OPTIONS', '/health', 'GET, HEAD'],
  ])('405 for %s %s, with what is allowed', async (method, path, allow) => {
    const answer = await nines.call(method, path)
    expect(failure(answer)).toEqual([405, { success: false, error: 'Method not allowed', details: `must be ${allow}` }])
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    '415 for a body that says it is "%s"',
    async (type) => {
      const answer = await nines.call('POST', '/api/v1/slos', '{}', { headers: { 'content-type': type } })
      expect(failure(answer)).toEqual([
        415,
        { success: false, error: 'Unsupported media type', details: 'Content-Type: must be application/json' },
      ])
    },
  )

  test.each([
    ['broken JSON', '{"name":', 'must be well-formed JSON'],
    ['deep nesting', `${'['.repeat(65)}${']'.repeat(65)}`, 'must have at most 64 levels of nesting'],
  ])('400 for %s', async (_, body, wanted) => {
    const told = {
      details: `body: ${wanted}`,
      problems: [{ field: 'body', message: wanted, code: 'invalid', params: {} }],
    }
    const refused = { success: false, error: 'Invalid request body', ...told }
    expect(failure(await nines.call('POST', '/api/v1/slos', body))).toEqual([400, refused])
  })

  test('400 for text that is not UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ success: false, details: 'body: must be UTF-8, sent whole' })
    expect(response.status).toBe(400)
  })

  test.each([undefined, '[]', 'null', '7', '"text"'])('400 for %p where an object is required', async (body) => {
    const answer = await nines.call('POST', '/api/v1/slos', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ success: false, error: 'Invalid request' })
  })

  test('brackets inside strings are no nesting', async () => {
    const answer = await nines.call('POST', '/api/v1/slos', { ...slo, name: `"${'['.repeat(100)}\\` })
    expect(answer.status).toBe(201)
  })
})

describe('the body limit', () => {
  const tooLarge = {
    success: false,
    error: 'Request body too large',
    details: 'body: must be at most 2048 bytes',
    problems: [
      { field: 'body', message: 'must be at most 2048 bytes', code: 'too_large', params: { max_bytes: 2048 } },
    ],
  }

  test('holds for an announced length before a byte is read', async () => {
    const head =
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n'
    const said = await talk(head)
    expect(said).toStartWith('HTTP/1.1 413 ')
    expect(said).toContain(JSON.stringify(tooLarge))
    expect(said).toContain('X-Frame-Options: DENY')
  })

  test('holds for a body of no announced length', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1024).fill(0x20))
      },
    })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })
    expect(response.status).toBe(413)
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toEqual(tooLarge)
  })

  test('lets a body of just that size in', async () => {
    const empty = JSON.stringify({ ...slo, description: '' }).length
    const full = JSON.stringify({ ...slo, description: 'x'.repeat(2048 - empty) })
    expect((await nines.call('POST', '/api/v1/slos', full)).status).toBe(201)
    expect((await nines.call('POST', '/api/v1/slos', `${full} `)).status).toBe(413)
  })
})

test('the security headers are on every answer', async () => {
  const answers = await Promise.all([
    nines.call('GET', '/health'),
    nines.call('GET', '/metrics'),
    nines.call('GET', '/api/v1/slos'),
    nines.call('GET', '/api/v1/slos', undefined, { token: null }),
    nines.call('GET', '/api/v1/slos/999'),
    nines.call('GET', '/nope'),
    nines.call('PUT', '/health'),
    nines.call('POST', '/api/v1/slos', slo),
    nines.call('POST', '/api/v1/slos', '{', {}),
    nines.call('POST', '/api/v1/slos', ' '.repeat(4096)),
    nines.call('POST', '/api/v1/slos', 'x', { headers: { 'content-type': 'text/plain' } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 404, 404, 405, 201, 400, 413, 415])
  for (const { headers } of answers) {
    for (const [name, value] of Object.entries(securityHeaders)) expect(headers.get(name)).toBe(value)
  }
})

test('what nobody foresaw is a bare 500, and a line in the log', async () => {
  const broken = await testApp()
  await broken.join('ada')
  await broken.app.db.write.schema.dropTable('executions').execute()
  await broken.app.db.write.schema.dropTable('slos').execute()
  const answer = await broken.call('GET', '/api/v1/slos')
  expect(failure(answer)).toEqual([500, { success: false, error: 'Internal error' }])
  expect(broken.logged.filter((line) => line.includes('"request failed"'))).toHaveLength(1)
  await broken.close()
})

test.each(['x', 'pi', 'nas', 'home'])('the host %s leads to the same answers as any other', async (host) => {
  const statusOf = async (path: string) =>
    (await talk(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(9, 12)
  const heartbeat = await nines.call('POST', '/api/v1/embedded/heartbeats', { name: host, period_seconds: 3600 })
  const ping = new URL((heartbeat.body.data ?? heartbeat.body).ping_url).pathname
  expect(
    await Promise.all([ping, '/health', '/abcd/health', '/api/v1/slos/5', '/abc/api/v1/slos/5'].map(statusOf)),
  ).toEqual(['200', '200', '404', '401', '404'])
})

test('a host of one or two letters over TLS is refused', () => {
  expect(() => assertLongHost(new Request('https://pi/health'))).toThrow('Invalid request')
  for (const url of ['https://nas/health', 'https://pi:8443/health', 'http://pi/health'])
    expect(() => assertLongHost(new Request(url))).not.toThrow()
})

describe('request metrics', () => {
  test('count by method, route template and status', async () => {
    await nines.call('GET', '/api/v1/slos/777')
    await nines.call('GET', '/api/v1/slos/778')
    await nines.call('PROPFIND', '/tea')
    await new Promise(setImmediate) // requests are counted after the response
    const { text, headers } = await nines.call('GET', '/metrics', undefined, { token: null })
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = text.split('\n').filter((line) => !line.includes('_bucket'))
    expect(lines).toContain('http_requests_total{method="GET",path="/api/v1/slos/:id",status="404"} 3')
    expect(lines).toContain('http_requests_total{method="other",path="unmatched",status="404"} 1')
    expect(lines).toContainEqual(
      expect.stringMatching(/^http_request_duration_seconds_count\{method="GET",path="\/api\/v1\/slos\/:id"\} \d$/),
    )
    expect(text).not.toContain('/777')
  })

  test.each([
    ['PUT', '/api/v1/slos/overview', '/api/v1/slos/overview', 405],
    ['PATCH', '/api/v1/slos/777/budget', '/api/v1/slos/:id/budget', 405],
    ['POST', '/api/v1/annotations', '/api/v1/annotations', 413],
    ['POST', '/tea/777', 'unmatched', 413],
  ] as const)('count %s %s, refused before it is routed, under %s with %p', async (method, sent, path, status) => {
    const headers = { 'content-length': status === 413 ? '2000000' : '2' }
    expect((await nines.call(method, sent, {}, { headers })).status).toBe(status)
    await new Promise(setImmediate) // requests are counted after the response
    const { value } = readExposition((await nines.call('GET', '/metrics', undefined, { token: null })).text)
    expect(value('http_requests_total', { method, path, status: String(status) })).toBe(1)
  })

  test('require METRICS_TOKEN where it is set', async () => {
    const guarded = await testApp({ env: { METRICS_TOKEN: 'sésame' } })
    const get = (sent: string) => {
      // the bytes of UTF-8, as Prometheus sends them
      const authorization = Buffer.from(sent).toString('latin1')
      return guarded.call('GET', '/metrics', undefined, { token: null, headers: sent === '' ? {} : { authorization } })
    }
    for (const wrong of ['', 'Bearer', 'Bearer Sésame', 'Bearer sesame', 'Basic sésame', 'sésame']) {
      expect((await get(wrong)).status).toBe(401)
    }
    for (const right of ['Bearer sésame', 'bearer  sésame']) expect((await get(right)).status).toBe(200)
    await guarded.close()
  })
})

describe('CORS', () => {
  const preflight = { origin: 'https://page.example', 'access-control-request-method': 'POST' }

  test('is absent unless origins are allowed', async () => {
    const answer = await nines.call('GET', '/health', undefined, { headers: { origin: 'https://page.example' } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('lets the allowed origins in, and no other', async () => {
    const open = await testApp({ env: { CORS_ORIGINS: 'https://page.example' } })
    const allowed = await open.call('OPTIONS', '/api/v1/slos', undefined, { headers: preflight })
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://page.example')
    expect(allowed.headers.get('access-control-allow-headers')).toBe('Content-Type, Authorization, X-Requested-With')
    expect(allowed.headers.get('x-frame-options')).toBe('DENY')
    const headers = { ...preflight, origin: 'https://evil.example' }
    const refused = await open.call('OPTIONS', '/api/v1/slos', undefined, { headers })
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    await open.close()
  })
})

describe('readiness', () => {
  test('ends with the shutdown, liveness does not', async () => {
    const closing = await testApp()
    expect((await closing.call('GET', '/ready')).body).toEqual({ status: 'ready', time: expect.any(String) })
    closing.app.startClosing()
    expect(failure(await closing.call('GET', '/ready'))).toEqual([503, { success: false, error: 'Shutting down' }])
    expect((await closing.call('GET', '/health')).status).toBe(200)
    await closing.close()
  })

  test('is withheld when the database cannot be written', async () => {
    const broken = await testApp()
    await sql`pragma query_only = 1`.execute(broken.app.db.write)
    const { status, body } = await broken.call('GET', '/ready')
    expect([status, body.error]).toEqual([503, 'data folder cannot be written (SQLITE_READONLY)'])
    await broken.close()
  })

  test('is examined at most once a second, however often it is requested', async () => {
    const mended = await testApp()
    const ready = async () => (await mended.call('GET', '/ready')).status
    await sql`pragma query_only = 1`.execute(mended.app.db.write)
    expect(await ready()).toBe(503)
    await sql`pragma query_only = 0`.execute(mended.app.db.write)
    mended.clock.advance(999)
    expect(await ready()).toBe(503)
    mended.clock.advance(1)
    expect(await ready()).toBe(200)
    await mended.close()
  })
})

/** Sends raw bytes and returns everything received until the connection ends or the first response is complete. */
function talk(sent: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  const socket = connect(Number(port), hostname, () => socket.write(sent))
  socket.on('data', (chunk) => {
    said += chunk.toString()
    const [head, body] = said.split('\r\n\r\n')
    const length = /content-length: (\d+)/i.exec(head ?? '')?.[1]
    if (body !== undefined && body.length >= Number(length ?? 0)) socket.destroy()
  })
  socket.on('close', () => resolve(said))
  socket.on('error', reject)
  return promise
}
