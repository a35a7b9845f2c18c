import { afterAll, beforeAll, beforeEach, expect, describe, test } from 'bun:test'
import type { TestApp } from './app.ts'
import { fakeSource } from './fake-source.ts'
import { goodBody } from './good-bodies.ts'
import {
  expectComposed,
  expectNoFailureLogged,
  fieldPaths,
  hostileValues,
  nested,
  withValue,
  written,
} from './hostile.ts'
import { isPage, labelValuesSuffix, pathTo } from './named-things.ts'
import type { Populated } from './populated.ts'
import { populatedApp } from './populated-app.ts'
import { type Route, routesOfTheServer } from './routes.ts'

const routes = await routesOfTheServer()
const named = (chosen: Route[]) => chosen.map((route) => [route.name, route] as const)
const withBody = routes.filter(({ body }) => body !== undefined)
/** Routes that answer with HTML; tested in test/notifications/recipients and test/web/page-routes. */
const answersPeople = (path: string) =>
  path === '/notifications/confirm' || /^\/(?:ping|api\/push)\//.test(path) || isPage(path)
const withQuery = routes.filter(({ query, path }) => query !== undefined && !answersPeople(path))
const withId = routes.filter(({ path }) => path.replace(labelValuesSuffix, '').includes(':') && !answersPeople(path))
const sending = routes.filter(
  ({ method, path }) => method !== 'GET' && !path.startsWith('/oauth/') && !answersPeople(path),
)

const source = fakeSource(() => 0.99)
let nines: TestApp
let ada: Populated
const open = async () => void ({ nines, ada } = await populatedApp({ ada: 2 }, { env: { SOURCE_URL: source.url } }))

/** Sends a request as the administrator, without the delay for failed logins, and checks the answer. */
async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  if (path.includes('auth')) await nines.app.db.write.deleteFrom('login_attempts').execute()
  const answer = await nines.call(method, path, body, { token: ada.token, headers })
  expectComposed(`${method} ${path} ${body ?? ''}`, answer)
  return answer
}

const wholes: [string, string][] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '7'],
  ['a text', '"text"'],
  ['a list', '[]'],
  ['a list of objects', '[{}]'],
  ['an empty object', '{}'],
  ['half an object', '{"name": '],
  ['a space', ' '],
  ['NaN', 'NaN'],
  ['an object with NaN', '{"name": NaN, "target": NaN}'],
  ['a comment', '{/* no */}'],
  ['a byte order mark', '\ufeff{}'],
  ['a NUL', '\u0000'],
  ['another encoding', '\u00ff\u00fe{\u0000}\u0000'],
  ['too deep', JSON.stringify(nested(65))],
  ['far too deep', '{"a":'.repeat(100_000)],
  ['many brackets', '['.repeat(500_000)],
  ['the same key often', `{${'"name":1,'.repeat(10_000)}"name":2}`],
  ['many keys', `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ['too much', `{"name":"${'x'.repeat(1_048_576)}"}`],
]

const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '007',
  '9007199254740993',
  '9'.repeat(400),
  'NaN',
  'null',
  'true',
]
const escaped = [
  '%00',
  '%0d%0aX-Evil:%201',
  '%F0%9F%98%80',
  '%E2%80%AE',
  '%ff',
  '%zz',
  '%',
  '%27%20OR%201=1--',
  '%5B%5D',
]
const names = ['__proto__', 'constructor', 'toString', '..%2f..%2fetc', '[object Object]', '{}', '*']

/**
 * Sends hostile values, bodies, query strings and ids to every route. Each field is sent one of so many `shares` of the values,
 * and each route of the bodies and ids; with 1 all of them.
 */
export function testHostileInputs({ shares }: { shares: number }) {
  /** The n-th share of the values, so that the next field, or the next route, is sent other ones. */
  const part = <T>(values: T[], n: number) => values.filter((_, at) => (at + n) % shares === 0)

  beforeAll(open)
  beforeEach(async () => {
    nines.logged.length = 0
    if ((await nines.call('GET', '/api/v1/organization', undefined, { token: ada.token })).status === 200) return
    await nines.close() // the requests before have ended the session, or require a second factor
    await open()
  })
  afterAll(async () => {
    await nines.close()
    await source.close()
  })

  describe('no value of a field upsets', () => {
    test.each(named(withBody))(
      '%s',
      async (_, route) => {
        const path = pathTo(route.path, ada.things)
        for (const [place, field] of fieldPaths(route.body ?? {}).entries()) {
          for (const value of part(hostileValues, place)) {
            await send(route.method, path, written(withValue(goodBody(route, ada) ?? {}, field, value)))
          }
        }
        expectNoFailureLogged(nines)
      },
      120_000,
    )
  })

  describe('no body upsets', () => {
    test.each(named(sending))('%s', async (_, route) => {
      // an unknown id: requests must be refused, and those without a body must not find anything
      const path = route.path.replace(/:\w+/, '999999')
      for (const [, body] of part(wholes, sending.indexOf(route))) {
        const { status } = await send(route.method, path, body)
        if (route.body) expect([body.slice(0, 50), status >= 400]).toEqual([body.slice(0, 50), true])
      }
      for (const type of [
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/xml',
      ]) {
        const { status } = await send(route.method, path, '{}', { 'content-type': type })
        const isRead =
          type.endsWith('urlencoded') && path.includes('/prometheus/') && !/\/(?:write|metrics)$/.test(path)
        expect(isRead ? [200, 400, 404] : [401, 415]).toContain(status) // 401 after the session has signed out
      }
      expectNoFailureLogged(nines)
    })
  })

  describe('no query string upsets', () => {
    test.each(named(withQuery))('%s', async (_, { method, path, query }) => {
      for (const [place, field] of [...Object.keys(query ?? {}), '__proto__', 'constructor'].entries()) {
        for (const value of part([...texts, ...escaped, ...names], place)) {
          await send(method, `${path}?${field}=${value}`)
          await send(method, `${path}?${field}=1&${field}=${value}`)
          await send(method, `${path}?${field}[]=${value}&${field}[x]=1`)
        }
      }
      for (const odd of ['?', '&&&', '=', '?=?', '%', '#', `${'a=1&'.repeat(5000)}`])
        await send(method, `${path}?${odd}`)
      expectNoFailureLogged(nines)
    })
  })

  describe('no id upsets', () => {
    test.each(named(withId))('%s', async (_, route) => {
      const body = route.body && written(goodBody(route, ada) ?? {})
      const values = [...texts, ...escaped, ...names].filter((id) => id.trim() !== '')
      for (const value of part(values, withId.indexOf(route))) {
        const { status } = await send(route.method, route.path.replace(/:\w+/, value), body)
        expect([value, [400, 404, 405].includes(status)]).toEqual([value, true])
      }
      expectNoFailureLogged(nines)
    })
  })
}
