import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: '' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const sources = '/api/v1/tsdb/sources'
const main = { name: 'main', api_url: 'http://prometheus.example:9090' }
const withPassword = { ...main, auth: { basic: { username: 'ada', password: 's3cret' } } }
const logged = async () => (await nines.call('GET', '/api/v1/audit-log?page_size=100')).body
const entriesOf = async (event: string) =>
  (await nines.call('GET', `/api/v1/audit-log?event=${event}`)).body.entries.map(
    ({ details }: { details: unknown }) => details,
  )
const shown = { id: 1, ...main, is_active: true, is_default: true }

test('the making of a source is in the audit log, with who made it', async () => {
  await nines.call('POST', sources, main, { headers: { 'user-agent': 'curl/8' } })
  expect((await logged()).entries[0]).toMatchObject({
    event: 'source_created',
    outcome: 'success',
    user_id: 1,
    email: 'ada@example.com',
    user_agent: 'curl/8',
    details: { ...shown, auth_changed: false },
  })
})

test.each([
  ['another name', { name: 'other' }, { name: 'other', auth_changed: false }],
  [
    'another address, with its password again',
    { api_url: 'https://p.example/', auth: withPassword.auth },
    { api_url: 'https://p.example', auth_changed: false },
  ],
  ['rest', { is_active: false }, { is_active: false, auth_changed: false }],
  ['another password', { auth: { basic: { username: 'ada', password: 'n3w' } } }, { auth_changed: true }],
  ['the same password', { auth: withPassword.auth }, { auth_changed: false }],
  ['the mask', { auth: { basic: { username: 'ada', password: '********' } } }, { auth_changed: false }],
  ['no credentials any more', { auth: null }, { auth_changed: true }],
])('a source given %s is in the audit log', async (_, change, details) => {
  await nines.call('POST', sources, withPassword)
  expect((await nines.call('PUT', `${sources}/1`, change)).status).toBe(200)
  expect(await entriesOf('source_changed')).toEqual([{ ...shown, ...details }])
})

test('the end of a source is in the audit log', async () => {
  await nines.call('POST', sources, main)
  await nines.call('DELETE', `${sources}/1`)
  expect(await entriesOf('source_deleted')).toEqual([shown])
})

test('what is refused is no change, and has no entry', async () => {
  await nines.call('POST', sources, main)
  const before = await logged()
  expect((await nines.call('POST', sources, main)).status).toBe(409)
  expect((await nines.call('PUT', `${sources}/1`, { is_default: false })).status).toBe(400)
  expect((await nines.call('DELETE', `${sources}/7`)).status).toBe(404)
  expect(await logged()).toEqual(before)
})

test('no credential is ever in the audit log', async () => {
  await nines.call('POST', sources, withPassword)
  const change = { auth: { bearer: { token: 't0ken' }, headers: { 'X-Key': 'k3y' } } }
  expect((await nines.call('PUT', `${sources}/1`, change)).status).toBe(200)
  await nines.call('DELETE', `${sources}/1`)
  const rows = await nines.app.db.read.selectFrom('audit_log').selectAll().execute()
  expect(rows.length).toBeGreaterThan(3)
  expect(JSON.stringify(rows)).not.toMatch(/s3cret|t0ken|k3y/)
})
