import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { joinedApp } from '../../../support/reused-app.ts'
import { dump } from '../../../support/populated.ts'
import { rulesOf } from '../../../support/rules-of.ts'

const path = '/api/v1/oauth/clients'
const wanted = { name: ' Reporter ', redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/cb'] }

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

describe('registering an application', () => {
  test('gives its id, and to a confidential one a secret, this once', async () => {
    const open = await nines.call('POST', path, wanted)
    const shown = {
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Reporter',
      redirect_uris: wanted.redirect_uris,
      confidential: false,
      created_by: 1,
      created_at: new Date(nines.clock.now()).toISOString(),
    }
    expect([open.status, open.body]).toEqual([201, shown])
    const secretive = await nines.call('POST', path, { ...wanted, confidential: true })
    const { client_secret, ...rest } = secretive.body
    expect([client_secret, rest]).toEqual([expect.stringMatching(/^[\w-]{43}$/), { ...shown, confidential: true }])
    const list = await nines.call('GET', path)
    expect(list.body.total).toBe(2)
    expect(list.body.clients).toContainEqual(rest)
    expect((await nines.call('GET', `${path}/${rest.client_id}`)).body).toEqual(rest)
    expect(list.text).not.toContain('secret')
  })

  test.each([
    [
      'no name',
      { name: undefined },
      'name: is required: 1 to 100 characters, one of them visible, no control characters',
    ],
    [
      'a long name',
      { name: 'x'.repeat(101) },
      'name: must be 1 to 100 characters, one of them visible, no control characters',
    ],
    ['no redirect URI', { redirect_uris: [] }, 'redirect_uris: must be 1 to 10 different redirect URIs'],
    [
      'eleven redirect URIs',
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://app.example/${at}`) },
      'redirect_uris: must be 1 to 10 different redirect URIs',
    ],
    [
      'the same one twice',
      { redirect_uris: ['https://app.example/', 'https://app.example/'] },
      'redirect_uris: must be 1 to 10 different redirect URIs',
    ],
    [
      'http elsewhere',
      { redirect_uris: ['https://app.example/', 'http://app.example/'] },
      'redirect_uris.1: must be an https URL, or http on localhost, 127.0.0.1 or [::1]; without fragment, wildcard and user name',
    ],
    ['a word as confidential', { confidential: 'yes' }, 'confidential: must be true or false'],
  ])('refuses %s', async (_, change, details) => {
    const before = dump(nines)
    const { status, body } = await nines.call('POST', path, { ...wanted, ...change })
    expect([status, body, rulesOf(body)]).toEqual([
      400,
      { success: false, error: 'Invalid request', details: expect.any(String), problems: expect.any(Array) },
      details,
    ])
    expect(dump(nines)).toEqual(before)
  })

  test('cannot choose what nines chooses', async () => {
    const chosen = { client_id: 'mine', id: 'mine', client_secret: 'mine', organization_id: 2, created_by: 7 }
    const { body } = await nines.call('POST', path, { ...wanted, ...chosen, confidential: true })
    expect([body.client_id, body.client_secret]).not.toContain('mine')
    const row = await nines.app.db.read.selectFrom('oauth_clients').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ id: body.client_id, organization_id: 1, created_by: 1 })
  })
})

test('deleting an application is in the audit log, and happens once', async () => {
  const { body } = await nines.call('POST', path, wanted)
  const own = `${path}/${body.client_id}`
  expect((await nines.call('DELETE', own)).body).toEqual({ message: 'OAuth client deleted' })
  expect((await nines.call('DELETE', own)).status).toBe(404)
  expect((await nines.call('GET', path)).body).toEqual({ clients: [], total: 0 })
  const { body: audit } = await nines.call('GET', '/api/v1/audit-log?event=oauth_client_deleted')
  expect(audit.entries).toMatchObject([{ user_id: 1, details: { client_id: body.client_id, name: 'Reporter' } }])
})

test('members and viewers neither read nor change them', async () => {
  const { body } = await nines.call('POST', path, wanted)
  for (const role of ['member', 'viewer'] as const) {
    await nines.app.db.write.updateTable('users').set({ role }).execute()
    nines.app.tokens.invalidate(() => true)
    const before = dump(nines)
    const asked: [string, string][] = [
      ['GET', path],
      ['GET', `${path}/${body.client_id}`],
      ['POST', path],
      ['DELETE', `${path}/${body.client_id}`],
    ]
    for (const [method, target] of asked) {
      expect((await nines.call(method, target, method === 'POST' ? wanted : undefined)).status).toBe(403)
    }
    expect(dump(nines)).toEqual(before)
  }
})
