import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readClientMessage } from '../../src/realtime/messages.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { goodBody } from '../support/good-bodies.ts'
import { fieldPaths, withValue } from '../support/hostile.ts'
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

const filled = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length))
const list = (item: string, bytes: number) => `[${filled(`${item},`, bytes).slice(0, -1)}]`
const brackets = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`

/** JSON of nearly the body limit. Each is costly in another way for code that copies, prints or walks it. */
const burdens = {
  'a deep value': brackets(400_000),
  'deep values': list(brackets(55), 900_000),
  'empty objects': list('{}', 900_000),
  numbers: list('1', 900_000),
  texts: list('"a"', 900_000),
  'many fields': fields(70_000),
  'a long text': `"${filled('x', 900_000)}"`,
  'a long text of escapes': `"${filled('\\u0000', 900_000)}"`,
}

const routes = (await routesOfTheServer()).filter(
  // except routes that hash passwords or end the session
  ({ body, name }) => body && !/login|logout|password|register/.test(name),
)

test('no body, and no value of a field, holds up the others for long', async () => {
  const slow: string[] = []
  const mark = 'THE-VALUE'
  for (const route of routes) {
    const good = goodBody(route, own) ?? {}
    const places = fieldPaths(route.body ?? {}).filter(({ length }) => length <= 2)
    const templates = [mark, ...places.map((path) => withValue(good, path, mark))]
    for (const [what, value] of Object.entries(burdens)) {
      // each burden in one place
      const template = templates[Object.keys(burdens).indexOf(what) % templates.length]
      const before = process.threadCpuUsage()
      const { status } = await nines.call(
        route.method,
        pathTo(route.path, own.things),
        JSON.stringify(template).replace(`"${mark}"`, value),
        { token: own.token },
      )
      const { user, system } = process.threadCpuUsage(before)
      const seconds = (user + system) / 1e6 // of this thread, which answers all requests
      expect(status).toBeLessThan(500)
      if (seconds > 2) slow.push(`${route.name} with ${what}: ${seconds} s`)
    }
  }
  expect(slow).toEqual([])
})

test('a body of a public route may have 16 kB, whatever the limit of the others is', async () => {
  for (const path of ['register', 'login', 'refresh', 'password-reset-request', 'password-reset-confirm']) {
    const body = JSON.stringify({ email: 'x'.repeat(20_000) })
    const { status, body: answer } = await nines.call('POST', `/api/v1/auth/${path}`, body, { token: null })
    expect([path, status, answer.details]).toEqual([path, 413, 'body: must be at most 16384 bytes'])
  }
})

test('a body of very many values is refused before it is parsed', async () => {
  const entry = `{"key":"k","query":"up","slo_id":1,"time_window":"1h","result":${list('[1795255200,"1"]', 900_000)}}`
  expect((await nines.call('POST', '/api/v1/cache/entry', entry, { token: own.token })).status).toBe(200)
  const { status, body } = await nines.call('POST', '/api/v1/cache/entry', list('[]', 900_000), { token: own.token })
  expect([status, rulesOf(body)]).toEqual([400, 'body: must have at most 200000 values'])
})

test('only a cache entry may have more than 20,000 values', async () => {
  const wanted = 'body: must have at most 20000 values'
  const detailsOf = async (path: string, body: string) =>
    rulesOf((await nines.call('POST', `/api/v1/${path}`, body, { token: own.token })).body)
  expect(await detailsOf('slos', fields(20_002))).toBe(wanted)
  expect(await detailsOf('slos', fields(19_000))).not.toBe(wanted)
  expect(await detailsOf('cache/invalidate', fields(70_000))).toBe(wanted)
  expect(await detailsOf('cache/entry', fields(70_000))).not.toBe(wanted)
})

test('a text in place of an object, and a list in place of a field, are refused as what they are', async () => {
  const source = { name: 'new', api_url: 'http://new.example', auth: { headers: 'x'.repeat(900_000) } }
  const { status, body } = await nines.call('POST', '/api/v1/tsdb/sources', source, { token: own.token })
  expect([status, rulesOf(body)]).toEqual([400, 'auth.headers: must be 1 to 50 header names and their values'])
})

test('a deep message of a live client is refused before it is read', () => {
  const deep = `{"type":"subscribe","data":${brackets(16_000)}}`
  expect(() => readClientMessage(deep)).toThrow('must have at most 64 levels of nesting')
  expect(() => readClientMessage(`{"type":"subscribe","data":{"slo_id":${list(brackets(50), 32_000)}}}`)).toThrow(
    'data.slo_id',
  )
})
