import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { dump } from '../../support/populated.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'

const path = '/api/v1/incidents/1/account'
const text = '# The disk\n\n- it was **full**'
const url = 'https://wiki.example.com/81'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', checkout)
  const times = { began_at: 1, opened_at: 1, since: 1 }
  await nines.app.db.write
    .insertInto('incidents')
    .values({ organization_id: 1, slo_id: 1, severity: 'critical', state: 'down', ...times, relapses: 0 })
    .execute()
})
afterEach(() => nines.close())

const put = (body: object) => nines.call('PUT', path, body)
const audited = async () =>
  (await nines.call('GET', '/api/v1/audit-log?page_size=3')).body.entries.map(({ event }: { event: string }) => event)

test('an account is written, read with its incident, replaced and deleted, each with an entry in the audit log', async () => {
  expect((await nines.call('GET', path)).status).toBe(404)
  expect((await nines.call('GET', '/api/v1/incidents/1')).body.data.account).toBeNull()
  const written = { text, url, version: 1, by: expect.any(String), updated_at: expect.any(String) }
  const { status, body } = await put({ text: ` ${text} `, url, version: 0 })
  expect([status, body]).toEqual([200, { success: true, data: written }])
  expect((await nines.call('GET', path)).body.data).toEqual(written)
  expect((await nines.call('GET', '/api/v1/incidents/1')).body.data.account).toEqual(written)
  expect((await put({ text: 'Rewritten', version: 1 })).body.data).toMatchObject({ url: '', version: 2 })
  expect((await nines.call('DELETE', path)).body).toEqual({ success: true, message: 'Account deleted' })
  expect((await nines.call('DELETE', path)).status).toBe(404)
  expect((await nines.call('GET', '/api/v1/incidents/1')).body.data.account).toBeNull()
  const events = ['incident_account_deleted', 'incident_account_written', 'incident_account_written']
  expect(await audited()).toEqual(events)
})

test('of two who change the same version, the second is refused and nothing is lost', async () => {
  await put({ text })
  await put({ text: 'Mine', version: 1 })
  const before = dump(nines)
  const { status, body } = await put({ text: 'Yours', version: 1 })
  expect([status, body.error]).toEqual([409, 'The account has changed'])
  expect(body.details).toMatch(/^version: must be 2, since .+ changed it; got 1$/)
  expect((await put({ text: 'Yours', version: 0 })).status).toBe(409)
  expect(dump(nines)).toEqual(before)
  expect((await put({ text: 'Without a version' })).body.data).toMatchObject({ version: 3 })
})

test('one that was deleted while somebody changed it is not written over its version', async () => {
  await put({ text })
  await nines.call('DELETE', path)
  expect((await put({ text: 'Mine', version: 1 })).status).toBe(409)
  expect((await put({ text: 'Mine', version: 0 })).body.data).toMatchObject({ text: 'Mine', version: 3 })
})

test.each([
  [{ text: '' }],
  [{ text: ' \n ' }],
  [{ text: 'x'.repeat(20_001) }],
  [{ text: 'a\u0000b' }],
  [{ text: 7 }],
  [{ url: 'javascript:alert(1)' }],
  [{ url: 'data:text/html,x' }],
  [{ url: '//example.com' }],
  [{ url: `https://example.com/${'x'.repeat(2000)}` }],
  [{ version: -1 }],
  [{ version: 1.5 }],
])('refused, and without effect, is %j', async (change) => {
  const before = dump(nines)
  expect((await put({ text, url, ...change })).status).toBe(400)
  expect(dump(nines)).toEqual(before)
})

test('HTML is stored as the text that it is', async () => {
  const html = '<script>alert(1)</script><img src=x onerror=alert(1)>'
  expect((await put({ text: html })).body.data).toMatchObject({ text: html })
})

test('the incident of another organization has no account', async () => {
  await put({ text })
  const token = await nines.join('mallory')
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const body = method === 'PUT' ? { text } : undefined
    expect((await nines.call(method, path, body, { token })).status).toBe(404)
  }
})
