import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { rulesOf } from '../support/rules-of.ts'

let source: FakeSource
let nines: TestApp
let answers: string[]
beforeEach(async () => {
  source = fakeSource(() => 0.999)
  nines = await joinedApp()
  answers = []
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const call: TestApp['call'] = async (...request) => {
  const answer = await nines.call(...request)
  answers.push(answer.text)
  return answer
}
const create = (auth: unknown) => call('POST', '/api/v1/tsdb/sources', { name: 'main', api_url: source.url, auth })
const change = (body: unknown) => call('PUT', '/api/v1/tsdb/sources/1', body)
const read = async () => (await call('GET', '/api/v1/tsdb/sources/1')).body
const query = () => call('POST', '/api/v1/tsdb/query', { query: 'up' })

/** The configurable headers of the newest query to the source. */
async function sent(...names: string[]) {
  expect((await query()).status).toBe(200)
  const headers = source.asked.at(-1)?.headers
  return Object.fromEntries(['authorization', ...names].map((name) => [name, headers?.get(name) ?? null]))
}
const basicHeader = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const masked = '********'

const kinds = [
  [
    'basic',
    { basic: { username: 'ada', password: 'pässword: s3cret' } },
    { basic: { username: 'ada', password: masked } },
    { authorization: basicHeader('ada:pässword: s3cret') },
  ],
  [
    'bearer',
    { bearer: { token: 's3cret-token' } },
    { bearer: { token: masked } },
    { authorization: 'Bearer s3cret-token' },
  ],
  [
    'headers',
    { headers: { 'X-Scope-OrgID': 's3cret|team', Authorization: 'Key s3cret' } },
    { headers: { 'X-Scope-OrgID': masked, Authorization: masked } },
    { 'x-scope-orgid': 's3cret|team', authorization: 'Key s3cret' },
  ],
  [
    'bearer and headers',
    { bearer: { token: 's3cret-token' }, headers: { 'X-Scope-OrgID': 'team-7' } },
    { bearer: { token: masked }, headers: { 'X-Scope-OrgID': masked } },
    { authorization: 'Bearer s3cret-token', 'x-scope-orgid': 'team-7' },
  ],
] as const

describe.each(kinds)('credentials: %s', (_, auth, masked, headers) => {
  test('are sent to the source and answered masked', async () => {
    const { status, body } = await create(auth)
    expect([status, body.auth]).toEqual([201, masked])
    expect((await read()).auth).toEqual(masked)
    expect(await sent(...Object.keys(headers))).toEqual(headers)
  })

  test('stay when they come back masked, or not at all', async () => {
    await create(auth)
    expect((await change({ ...(await read()), name: 'renamed' })).status).toBe(200)
    expect((await change({ name: 'renamed again' })).body).toMatchObject({ name: 'renamed again', auth: masked })
    expect(await sent(...Object.keys(headers))).toEqual(headers)
  })

  test('are cleared by null', async () => {
    await create(auth)
    expect((await change({ auth: null })).body.auth).toBeNull()
    expect(Object.values(await sent(...Object.keys(headers)))).toEqual(Object.keys(headers).map(() => null))
  })

  test('masked where none are stored are refused', async () => {
    const refused = await create(masked)
    expect([refused.status, rulesOf(refused.body)]).toEqual([
      400,
      expect.stringMatching(/^auth\.[\w.-]+: must be the secret itself, not its mask: none is stored$/),
    ])
    await create(null)
    expect((await change({ auth: masked })).status).toBe(400)
    expect((await read()).auth).toBeNull()
  })
})

test('a changed user name goes with the stored password, a new password with nothing old', async () => {
  await create({ basic: { username: 'ada', password: 's3cret' } })
  await change({ auth: { basic: { username: 'eve', password: masked } } })
  expect(await sent()).toEqual({ authorization: basicHeader('eve:s3cret') })
  await change({ auth: { bearer: { token: 'new' } } })
  expect(await sent()).toEqual({ authorization: 'Bearer new' })
})

const oneKind = 'auth: must be an object with basic, bearer, headers or tls'
const secret = 'must be 1 to 4096 characters'
const headers = 'must be 1 to 50 header names and their values'
test.each([
  ['text', 's3cret', oneKind],
  ['a list', [{ bearer: { token: 'x' } }], oneKind],
  ['nothing', {}, oneKind],
  ['an unknown kind', { digest: { username: 'ada' } }, oneKind],
  [
    'basic and bearer',
    { basic: { username: 'a', password: 'b' }, bearer: { token: 'c' } },
    'auth: must be basic or bearer, not both',
  ],
  [
    'basic without password',
    { basic: { username: 'ada' } },
    `auth.basic.password: ${secret.replace('must be', 'is required:')}`,
  ],
  ['an empty password', { basic: { username: 'ada', password: '' } }, `auth.basic.password: ${secret}`],
  ['a password of two lines', { basic: { username: 'ada', password: 'a\nb' } }, `auth.basic.password: ${secret}`],
  [
    'a colon in the user name',
    { basic: { username: 'a:b', password: 'c' } },
    'auth.basic.username: must be at most 256 characters',
  ],
  [
    'a user name of two lines',
    { basic: { username: 'a\r\nb', password: 'c' } },
    'auth.basic.username: must be at most 256 characters',
  ],
  ['text as bearer', { bearer: 's3cret' }, 'auth.bearer: must be a JSON object'],
  ['a line break in the token', { bearer: { token: 'a\r\nX-Evil: 1' } }, `auth.bearer.token: ${secret}`],
  ['a long token', { bearer: { token: 'x'.repeat(4097) } }, `auth.bearer.token: ${secret}`],
  ['text as headers', { headers: 'X-A: b' }, `auth.headers: ${headers}`],
  ['a list as headers', { headers: ['X-A'] }, `auth.headers: ${headers}`],
  ['no headers', { headers: {} }, `auth.headers: ${headers}`],
  [
    '51 headers',
    { headers: Object.fromEntries([...Array(51).keys()].map((at) => [`X-${at}`, 'a'])) },
    `auth.headers: ${headers}`,
  ],
  ['a line break in a header', { headers: { 'X-A': 'b\r\nX-Evil: 1' } }, `auth.headers.X-A: ${secret}`],
  ['a number as header', { headers: { 'X-A': 7 } }, `auth.headers.X-A: ${secret}`],
  [
    'a line break in a header name',
    { headers: { 'X-A: b\r\nX-Evil': '1' } },
    `auth.headers.X-A: b\r\nX-Evil: ${headers}`,
  ],
  ['a space in a header name', { headers: { 'X A': 'b' } }, `auth.headers.X A: ${headers}`],
  ['no header name', { headers: { '': 'b' } }, `auth.headers: ${headers}`],
  [
    'Authorization beside bearer',
    { bearer: { token: 'a' }, headers: { AUTHORIZATION: 'b' } },
    'auth.headers: cannot have Authorization beside basic or bearer',
  ],
  ['Host', { headers: { hOST: 'evil.example' } }, 'auth.headers: cannot have host, which nines sets itself'],
  [
    'Content-Length',
    { headers: { 'Content-Length': '0' } },
    'auth.headers: cannot have content-length, which nines sets itself',
  ],
  [
    'Transfer-Encoding',
    { headers: { 'Transfer-Encoding': 'chunked' } },
    'auth.headers: cannot have transfer-encoding, which nines sets itself',
  ],
  [
    'Connection',
    { headers: { connection: 'upgrade' } },
    'auth.headers: cannot have connection, which nines sets itself',
  ],
])('credentials with %s are refused, and nothing is stored', async (_, auth, details) => {
  const refused = await create(auth)
  expect([refused.status, refused.body.details]).toEqual([400, expect.stringContaining(details)])
  expect(refused.text).not.toContain('s3cret')
  await create({ bearer: { token: 'kept' } })
  expect((await change({ auth, name: 'other' })).status).toBe(400)
  expect(await sent()).toEqual({ authorization: 'Bearer kept' })
})

test('names that objects have by nature are header names like others', async () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    const auth = JSON.parse(`{"headers": {"${name}": "${masked}"}}`)
    expect([name, (await create(auth)).status]).toEqual([name, 400])
  }
})

test('credentials are nowhere in the clear: not in the data folder, the log, or any answer', async () => {
  const secrets = ['pa55word-of-ada', 'b3arer-t0ken', 't3nant-id', 'an0ther-key']
  const [password = '', token = '', tenant = '', key = ''] = secrets
  const { db } = nines.app
  await create({ basic: { username: 'ada', password } })
  await query()
  await change({ auth: { bearer: { token }, headers: { 'X-Scope-OrgID': tenant, 'X-Key': key } } })
  source.script(() => {
    throw new Error(`no access for ${token} of ${tenant} with ${key}`)
  })
  expect((await query()).body.details).toContain('no access for')
  await call('GET', '/api/v1/tsdb/health')
  const slo = { name: 'a', target: 99, time_window: '1h', metric_type: 'availability', metric_query: 'up' }
  await call('POST', '/api/v1/slos', slo)
  expect((await call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window: '1h' })).status).toBe(500)
  await call('GET', '/api/v1/tsdb/sources')
  source.close()
  expect((await query()).status).toBe(503)

  const kept = await db.read.selectFrom('data_sources').selectAll().executeTakeFirstOrThrow()
  expect(nines.app.seal.unseal(kept.sealed_auth ?? '', 'data_sources.sealed_auth', kept)).toContain(token)
  const files = readdirSync(nines.dataDir)
  expect(files).toEqual(expect.arrayContaining(['nines.db', 'nines.db-wal']))
  const places: Record<string, string> = {
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(nines.dataDir, name), 'latin1')])),
    log: nines.logged.join(''),
    answers: answers.join(''),
  }
  expect(places['nines.db-wal']).toContain('data_sources')
  expect(nines.logged.length).toBeGreaterThan(5)
  const spellings = secrets.flatMap((each) => [each, Buffer.from(each).toString('base64').replace(/..=*$/, '')])
  spellings.push(basicHeader(`ada:${password}`).slice(6))
  for (const [place, text] of Object.entries(places)) {
    expect([place, spellings.filter((each) => text.includes(each))]).toEqual([place, []])
  }
})
