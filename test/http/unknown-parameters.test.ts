import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { nearest } from '../../src/http/checks/request-check.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { goodBody } from '../support/good-bodies.ts'
import { pathTo } from '../support/named-things.ts'
import { type Populated, populated } from '../support/populated.ts'
import { routesOfTheServer } from '../support/routes.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
let own: Populated
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  own = await populated(nines, 'ada', 7)
})
afterAll(() => nines.close())

const routes = await routesOfTheServer()
/**
 * Routes that accept unknown parameters: load balancers add some, a WebSocket handshake is no query, and Prometheus and OAuth
 * ignore them.
 */
const lenient =
  /^GET \/api\/v1\/(health|status\/public|ws\/subscribe)$|\/prometheus\/api\/v1\/|\/api\/v1\/(write|otlp\/v1\/metrics)$/
const ours = routes.filter(({ name, path }) => path.startsWith('/api/v1/') && !lenient.test(name))
const others = routes.filter((route) => !ours.includes(route) && !route.path.endsWith('/ws/subscribe'))
const get = (path: string) => nines.call('GET', path, undefined, { token: own.token })

test.each(ours.map((route) => ({ ...route })))('$name refuses a query parameter it does not have', async (route) => {
  const path = `${pathTo(route.path, own.things)}?strange=1`
  const isRead = route.method === 'GET'
  const { status, body } = await nines.call(route.method, path, isRead ? undefined : goodBody(route, own), {
    token: own.token,
  })
  expect([route.name, status, body.error]).toEqual([route.name, 400, 'Invalid request'])
  const problem = body.problems.find(({ field }: { field: string }) => field === 'strange')
  expect(problem.message).toStartWith('is not a query parameter of this route, which takes ')
})

test.each(others.map((route) => ({ ...route })))('$name ignores one', async (route) => {
  const path = pathTo(route.path, own.things)
  const { body } = await nines.call(route.method, `${path}?strange=1`, undefined, { token: own.token })
  expect(body?.details ?? '').not.toContain('strange')
})

/** Every documented query parameter, with a valid value. */
const promised = [
  '/slos?page=1&page_size=100&team_id=1&label=team:a&label=tier:1',
  '/slos/availability-trend?period=24h&step=1h',
  '/slos/:id/series?period=24h&step=1h',
  '/tsdb/queries?slo_id=:id',
  '/tsdb/queries/:id/executions?limit=100',
  '/notifications/history?slo_id=:id&page=1&page_size=50',
  '/cache/entries?page=1&page_size=20&slo_id=1&fresh=true',
  '/audit-log?page=1&page_size=50&event=login&outcome=success&user_id=1&from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z',
  '/audit-log?format=csv',
  '/organization/users?page=1&page_size=10',
  '/organization/invitations?page=1&page_size=10',
  '/organization/teams?page=1&page_size=10',
]

test.each(promised)('%s is taken', async (path) => {
  const [template = '', query = ''] = path.split('?')
  const { things } = own
  const id = String(things.slo)
  const at = pathTo(`/api/v1${template}`, things)
  const { status } = await get(`${at}?${query.replace(':id', id)}`)
  expect(status).toBe(200)
})

describe('the name that was meant is said', () => {
  test.each([
    ['/api/v1/slos?pagesize=5', 'pagesize: is not a query parameter of this route, did you mean page_size?'],
    ['/api/v1/slos?pageSize=5', 'pageSize: is not a query parameter of this route, did you mean page_size?'],
    ['/api/v1/slos?Page=5', 'Page: is not a query parameter of this route, did you mean page?'],
    ['/api/v1/slos?teamid=5', 'teamid: is not a query parameter of this route, did you mean team_id?'],
    ['/api/v1/tsdb/sources?page=1', 'page: is not a query parameter of this route, which takes none'],
    [
      '/api/v1/cache/entries?q=1',
      'q: is not a query parameter of this route, which takes page, page_size, slo_id, fresh',
    ],
    ['/api/v1/tsdb/queries?=1', 'query: is not a query parameter of this route, which takes slo_id'],
    [
      '/api/v1/slos?page=0&pgae=1&page_size=x',
      'pgae: is not a query parameter of this route, did you mean page?; ' +
        'page: must be a whole number from 1 to 1000000000; page_size: must be a whole number from 1 to 100',
    ],
  ])('%s', async (path, details) => {
    const { status, body } = await get(path)
    expect([status, rulesOf(body)]).toEqual([400, details])
  })

  test.each([
    ['limits', ['limit'], 'limit'],
    ['lmit', ['limit'], 'limit'],
    ['pgae', ['limit', 'page'], 'page'],
    ['name', ['page', 'from'], undefined],
    ['slo-id', ['slo_id', 'page'], 'slo_id'],
    ['offset', ['limit', 'page'], undefined],
    ['a', ['to', 'from'], undefined],
    ['x'.repeat(10_000), ['page'], undefined],
    ['__proto__', ['page'], undefined],
    ['anything', [], undefined],
  ])('%p of %p is %p', (name, known, meant) => expect(nearest(name, known)).toBe(meant))
})

test('the parameters of a route are not revealed to who may not use it', async () => {
  expect((await nines.call('GET', '/api/v1/slos?strange=1', undefined, { token: null })).status).toBe(401)
})

test('HEAD is as GET', async () => {
  const head = (path: string) => nines.call('HEAD', path, undefined, { token: own.token })
  expect([(await head('/api/v1/slos?page=1')).status, (await head('/api/v1/slos?pag=1')).status]).toEqual([200, 400])
})

test('a thousand of them are refused in a short answer', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `strange${at}=1`).join('&')
  const { status, body, text } = await get(`/api/v1/slos?${names}`)
  expect([status, body.problems.length]).toEqual([400, 20])
  expect(body.details).toEndWith('; and more')
  expect(text.length).toBeLessThan(10_000)
})
