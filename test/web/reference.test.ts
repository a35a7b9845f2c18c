import { afterAll, beforeAll, expect, test } from 'bun:test'
import { securityHeaders } from '../../src/http/headers/headers.ts'
import { referenceRoutes } from '../../src/web/reference-routes.ts'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await testApp()
})
afterAll(() => nines.close())

const ask = (path: string, headers: Record<string, string> = {}) =>
  nines.call('GET', path, undefined, { token: null, headers })

const files = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui.js', 'text/javascript; charset=utf-8'],
] as const

test.each(files)('%s is for everybody, with the headers of every answer', async (path, type) => {
  const { status, headers, text } = await ask(path)
  expect([status, headers.get('content-type')]).toEqual([200, type])
  expect(text.length).toBeGreaterThan(40)
  for (const [name, value] of Object.entries(securityHeaders)) expect(headers.get(name)).toBe(value)
})

test.each(files)('%s is kept by browsers until it is another', async (path) => {
  const first = await ask(path)
  const tag = first.headers.get('etag') ?? ''
  expect(first.headers.get('cache-control')).toBe('no-cache')
  const again = await ask(path, { 'if-none-match': tag })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
  expect((await ask(path, { 'if-none-match': '"another"' })).status).toBe(200)
})

test('who takes gzip gets it, and the same content', async () => {
  const url = nines.listen()
  const sizeOf = async (encoding: string) => {
    const answer = await fetch(`${url}/docs/swagger-ui.js`, {
      headers: { 'accept-encoding': encoding },
      decompress: false,
    })
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
    return [answer.headers.get('content-encoding'), Buffer.from(await answer.arrayBuffer())] as const
  }
  const [none, whole] = await sizeOf('identity')
  const [gzip, packed] = await sizeOf('br, gzip')
  expect([none, gzip]).toEqual([null, 'gzip'])
  expect(Buffer.from(Bun.gunzipSync(packed)).equals(whole)).toBe(true)
  expect(packed.length).toBeLessThan(whole.length / 3)
  expect((await sizeOf('gzip;q=0, identity'))[0]).toBeNull()
})

test.each([
  ['/swagger', 'docs'],
  ['/swagger/', '../docs'],
  ['/docs/', '../docs'],
])('%s leads to the page', async (path, location) => {
  const { status, headers } = await ask(path)
  expect([status, headers.get('location')]).toEqual([308, location])
})

test('the page names no other host', async () => {
  const { text } = await ask('/docs')
  const { text: start } = await ask('/docs/start.js')
  expect(text + start).not.toMatch(/https?:|\/\//)
  expect(text).not.toMatch(/<style|style=|<script>|onload=/)
})

test('a document that could not be made is made at the next request', async () => {
  let calls = 0
  const routes = referenceRoutes({
    document: () => (++calls === 1 ? Promise.reject(new Error('no memory')) : Promise.resolve('{"openapi":"3.1.0"}')),
  })
  const answer = () => routes.handle(new Request('http://localhost/openapi.json'))
  expect((await answer()).status).toBe(500)
  expect(await (await answer()).json()).toEqual({ openapi: '3.1.0' })
  await answer()
  expect(calls).toBe(2)
})
