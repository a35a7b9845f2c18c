import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { securityHeaders } from '../../../src/http/headers/headers.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
let ada: string
let eve: string
let url: string
beforeAll(async () => {
  nines = await testApp()
  ada = await nines.join('ada')
  eve = await nines.join('eve')
  await nines.call('POST', '/api/v1/slos', checkout)
  url = nines.listen()
})
afterAll(() => nines.close())

const get = (path: string, ifNoneMatch?: string, method = 'GET') =>
  nines.call(method, path, undefined, { headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } })
const tagOf = async (path: string) => (await get(path)).headers.get('etag') ?? ''

test('the response of a GET has a strong tag, by which a client that keeps it revalidates', async () => {
  const { status, headers, body } = await get('/api/v1/slos/1')
  expect([status, body.id]).toEqual([200, 1])
  expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/)
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
})

test('the tag stays with the body and changes with it', async () => {
  const before = await tagOf('/api/v1/slos/1')
  nines.clock.advance(60_000)
  expect(await tagOf('/api/v1/slos/1')).toBe(before)
  await nines.call('PUT', '/api/v1/slos/1', { description: 'changed' })
  const after = await get('/api/v1/slos/1', before)
  expect([after.status, after.body.description]).toEqual([200, 'changed'])
  expect(after.headers.get('etag')).not.toBe(before)
})

test('the tag is the bytes, not the address', async () => {
  expect(await tagOf('/api/v1/slos')).toBe(await tagOf('/api/v1/slos?page=1'))
  expect(await tagOf('/api/v1/slos')).not.toBe(await tagOf('/api/v1/slos?page=2'))
})

describe('304 without a body', () => {
  test.each([
    ['the tag', (tag: string) => tag],
    ['the weak tag', (tag: string) => `W/${tag}`],
    ['a list with it', (tag: string) => `"x", W/"y" , ${tag},"z"`],
    ['a list with commas in tags', (tag: string) => `"a,b",${tag}`],
    ['anything', () => '*'],
  ])('to %s', async (_, headerOf) => {
    const tag = await tagOf('/api/v1/slos/1')
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await get('/api/v1/slos/1', headerOf(tag), method)
      expect([status, text, headers.get('etag'), headers.get('cache-control')]).toEqual([
        304,
        '',
        tag,
        'private, no-cache',
      ])
      expect(headers.get('content-type')).toBeNull()
      expect(headers.get('x-frame-options')).toBe(securityHeaders['X-Frame-Options'])
    }
  })

  test('over a socket, and the next request on it is answered in full', async () => {
    const authorization = `Bearer ${ada}`
    const tag = await tagOf('/api/v1/slos/1')
    const full = await fetch(`${url}/api/v1/slos/1`, { headers: { authorization } })
    expect(full.headers.get('content-length')).toBe(String((await full.text()).length))
    const same = await fetch(`${url}/api/v1/slos/1`, { headers: { authorization, 'if-none-match': tag } })
    expect([same.status, await same.text()]).toEqual([304, ''])
    const again = await fetch(`${url}/api/v1/slos/1`, { headers: { authorization } })
    expect([again.status, again.headers.get('etag')]).toEqual([200, tag])
    expect(await again.json()).toMatchObject({ id: 1 })
  })

  test('is counted as such', async () => {
    await get('/api/v1/slos/1', '*')
    expect((await nines.call('GET', '/metrics')).text).toMatch(
      /http_requests_total\{method="GET",path="\/api\/v1\/slos\/:id",status="304"\} [1-9]/,
    )
  })
})

test.each(['', 'x', '""', '"x"', 'W/"x"', '**', '"unclosed', 'W/', ', ,'])(
  '%p is nothing anybody has: the answer comes in full',
  async (header) => {
    const { status, body } = await get('/api/v1/slos/1', header)
    expect([status, body.id]).toEqual([200, 1])
  },
)

test('a tag without its quotes is none', async () => {
  const tag = await tagOf('/api/v1/slos/1')
  expect((await get('/api/v1/slos/1', tag.slice(1, -1))).status).toBe(200)
})

test('HEAD says what GET would', async () => {
  const [head, full] = [await get('/api/v1/slos/1', undefined, 'HEAD'), await get('/api/v1/slos/1')]
  expect([head.status, head.text]).toEqual([200, ''])
  for (const name of ['etag', 'cache-control', 'content-type']) {
    expect(head.headers.get(name)).toBe(full.headers.get(name))
  }
  expect(head.headers.get('content-length')).toBe(String(full.text.length))
})

describe('nobody learns by a tag what they may not read:', () => {
  test('without a token', async () => {
    const answer = await nines.call('GET', '/api/v1/slos/1', undefined, {
      token: null,
      headers: { 'if-none-match': '*' },
    })
    expect([answer.status, answer.headers.get('etag')]).toEqual([401, null])
  })

  test('of another organization', async () => {
    const tag = await tagOf('/api/v1/slos/1')
    const answer = await nines.call('GET', '/api/v1/slos/1', undefined, {
      token: eve,
      headers: { 'if-none-match': tag },
    })
    expect([answer.status, answer.headers.get('etag'), answer.body.success]).toEqual([404, null, false])
  })
})

describe('no tag is on', () => {
  test.each([
    ['GET', '/api/v1/slos/999', 404],
    ['GET', '/api/v1/slos/x', 400],
    ['GET', '/api/v1/slos?page=0', 400],
    ['GET', '/api/v1/nope', 404],
    ['PATCH', '/api/v1/slos/1', 405],
    ['GET', '/api/v1/auth/me', 200],
    ['GET', '/api/v1/auth/tokens', 200],
    ['GET', '/api/v1/audit-log?format=csv', 200],
    ['GET', '/health', 200],
    ['GET', '/metrics', 200],
    ['PUT', '/api/v1/slos/1', 400],
  ])('%s %s (%p)', async (method, path, status) => {
    const answer = await get(path, '*', method)
    expect([answer.status, answer.headers.get('etag')]).toEqual([status, null])
    expect(answer.headers.get('cache-control')).not.toBe('private, no-cache')
    expect(answer.text).not.toBe('')
  })
})
