import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pagePaths } from '../../src/web/page-routes.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { goodBody } from '../support/good-bodies.ts'
import { pathTo } from '../support/named-things.ts'
import { type Populated, populated } from '../support/populated.ts'
import { routesOfTheServer } from '../support/routes.ts'

let nines: TestApp
let own: Populated

beforeAll(async () => {
  nines = await testApp()
  own = await populated(nines, 'ada', 7)
})
afterAll(() => nines.close())

/** Files that are the same for every user. */
const files = new Set([
  'GET /docs',
  'GET /docs/page.css',
  'GET /docs/start.js',
  'GET /openapi.json',
  'GET /oauth/consent.css',
])
for (const path of pagePaths) files.add(`GET ${path}`)
files.add('GET /docs/swagger-ui.css').add('GET /docs/swagger-ui.js')

test('no response of any route may be stored, but those with a tag, which are revalidated each time, and files', async () => {
  const token = own.token
  for (const route of await routesOfTheServer()) {
    const path = pathTo(route.path, own.things)
    for (const sent of [{ token }, { token: null }]) {
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : (goodBody(route, own) ?? {})
      // these end the session that the others use
      if (sent.token && /logout|change-password/.test(path)) continue
      const { status, headers } = await nines.call(route.method, path, body, sent)
      const policy = headers.get('cache-control')
      const isTagged = headers.has('etag') && policy === 'private, no-cache' && route.method === 'GET'
      if (!isTagged && !files.has(route.name))
        expect([route.name, status, policy]).toEqual([route.name, status, 'no-store'])
    }
  }
})

test('nor may what no route answers', async () => {
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['PATCH', '/api/v1/slos'],
  ] as const) {
    expect((await nines.call(method, path)).headers.get('cache-control')).toBe('no-store')
  }
})
