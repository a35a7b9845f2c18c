import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openSession } from '../../src/auth/sessions/sessions.ts'
import { insertUser } from '../../src/auth/accounts/store.ts'
import type { Role } from '../../src/role.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/tsdb/sources', { name: 'main', api_url: 'http://prometheus.example' })
})
afterAll(() => nines.close())

const wish = { name: 'mine', api_url: 'http://evil.example' }
const stored = () => nines.app.db.read.selectFrom('data_sources').selectAll().execute()

/** Access token of a new user with this role in ada's organization. */
async function tokenOf(role: Role): Promise<string> {
  const { app, clock } = nines
  const user = await insertUser(app.db.write, {
    organization_id: 1,
    email: `${role}@example.com`,
    email_key: `${role}@example.com`,
    name: role,
    role,
    password_hash: '',
    created_at: clock.now(),
    updated_at: clock.now(),
  })
  return (await openSession(app, user)).access_token
}

describe.each(['viewer', 'member'] as const)('a %s', (role) => {
  let token: string
  beforeAll(async () => {
    token = await tokenOf(role)
  })

  test('may read the sources', async () => {
    for (const path of ['/api/v1/tsdb/sources', '/api/v1/tsdb/sources/1']) {
      const { status, text } = await nines.call('GET', path, undefined, { token })
      expect([status, text]).toEqual([200, expect.stringContaining('"name":"main"')])
    }
  })

  test.each([
    ['POST', '/api/v1/tsdb/sources', wish],
    ['PUT', '/api/v1/tsdb/sources/1', wish],
    ['DELETE', '/api/v1/tsdb/sources/1', undefined],
    ['PUT', '/api/v1/tsdb/sources/4711', { name: 7 }],
    ['DELETE', '/api/v1/tsdb/sources/not-an-id', undefined],
  ])('may not %s %s, and nothing happens', async (method, path, sent) => {
    const before = await stored()
    const { status, body } = await nines.call(method, path, sent, { token })
    expect([status, body]).toEqual([
      403,
      { success: false, error: 'Insufficient permissions', details: 'needs the role admin' },
    ])
    expect(await stored()).toEqual(before)
  })
})

test('another organization’s source answers just as one that does not exist', async () => {
  const token = await nines.join('eve')
  const before = await stored()
  for (const [method, sent] of [['GET'], ['PUT', wish], ['DELETE']] as const) {
    const theirs = await nines.call(method, '/api/v1/tsdb/sources/1', sent, { token })
    const nobodys = await nines.call(method, '/api/v1/tsdb/sources/4711', sent, { token })
    expect([theirs.status, theirs.text]).toEqual([404, '{"success":false,"error":"Source not found"}'])
    expect([nobodys.status, nobodys.text]).toEqual([theirs.status, theirs.text])
  }
  const query = await nines.call('POST', '/api/v1/tsdb/query', { query: 'up', source_id: 1 }, { token })
  expect([query.status, query.text]).toEqual([404, '{"success":false,"error":"Source not found"}'])
  const list = await nines.call('GET', '/api/v1/tsdb/sources', undefined, { token })
  expect(list.body).toEqual({ sources: [], total: 0 })
  expect(await stored()).toEqual(before)
})

test.each(['abc', '0', '-1', '1.5', '0x1', '%00'])('%s is no id of a source', async (id) => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status, body } = await nines.call(method, `/api/v1/tsdb/sources/${id}`, method === 'PUT' ? wish : undefined)
    expect([status, rulesOf(body)]).toEqual([400, 'id: must be the source id, a whole number from 1'])
  }
})
