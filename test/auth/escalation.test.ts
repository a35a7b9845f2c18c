import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Role } from '../../src/role.ts'
import type { TestApp } from '../support/app.ts'
import { dump, type Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { talkTo } from '../support/raw-request.ts'

let nines: TestApp
let ada: Populated
beforeEach(async () => {
  ;({ nines, ada } = await populatedApp({ ada: 2 }))
})
afterEach(() => nines.close())

/** A signed-in user of the first organization with a role. */
async function colleague(role: Role): Promise<{ id: number; token: string }> {
  const invitation = { email: 'eve@example.com', role }
  const { body } = await nines.call('POST', '/api/v1/organization/invitations', invitation, { token: ada.token })
  const account = { email: 'eve@example.com', name: 'eve', password: 'correct horse', invitation_token: body.token }
  const joined = await nines.call('POST', '/api/v1/auth/register', account, { token: null })
  expect(joined.body.user).toMatchObject({ organization_id: ada.organizationId, role })
  return { id: joined.body.user.id, token: joined.body.access_token }
}

async function machine(role: Role, token: string): Promise<string> {
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'machine', role }, { token })
  return body.token
}
const statusOf = async (method: string, path: string, body: unknown, token: string) =>
  (await nines.call(method, `/api/v1${path}`, body, { token })).status
const slo = { name: 'new', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }

describe('more power than one has', () => {
  test.each([
    ['viewer', 'member'],
    ['viewer', 'admin'],
    ['member', 'admin'],
  ] as const)('is no %s’s for the asking (%s)', async (role, wanted) => {
    const { id, token } = await colleague(role)
    const before = dump(nines)
    const asked: [string, string, object][] = [
      ['POST', '/auth/tokens', { name: 'mine', role: wanted }],
      ['PUT', `/organization/users/${id}`, { role: wanted }],
      ['POST', '/organization/invitations', { email: 'me-again@example.com', role: wanted }],
      ['DELETE', `/organization/users/${ada.userId}`, {}],
    ]
    for (const [method, path, body] of asked) {
      expect([path, await statusOf(method, path, body, token)]).toEqual([path, 403])
    }
    expect(dump(nines)).toEqual(before)
  })

  test('is not had through the token of a machine', async () => {
    const token = await machine('viewer', ada.token)
    const before = dump(nines).users
    expect(await statusOf('GET', '/slos', undefined, token)).toBe(200)
    expect(await statusOf('POST', '/slos', slo, token)).toBe(403)
    expect(await statusOf('GET', '/audit-log', undefined, token)).toBe(403)
    expect(await statusOf('POST', '/auth/tokens', { name: 'child', role: 'admin' }, token)).toBe(403)
    expect(await statusOf('PUT', `/organization/users/${ada.userId}`, { role: 'admin' }, token)).toBe(403)
    const passwords = { current_password: 'correct horse', new_password: 'another horse' }
    expect(await statusOf('POST', '/auth/change-password', passwords, token)).toBe(403)
    expect(dump(nines).users).toEqual(before)
  })
})

describe('power that is taken away has no effect any more, at once', () => {
  test.each(['of a session', 'of a machine'])('from the token %s, when the role sinks', async (kind) => {
    const { id, token: own } = await colleague('member')
    const token = kind === 'of a session' ? own : await machine('member', own)
    expect(await statusOf('POST', '/slos', slo, token)).toBe(201)
    expect(await statusOf('PUT', `/organization/users/${id}`, { role: 'viewer' }, ada.token)).toBe(200)
    expect(await statusOf('POST', '/slos', slo, token)).not.toBe(201)
  })

  test.each(['of a session', 'of a machine'])('from the token %s, when its user is removed', async (kind) => {
    const { id, token: own } = await colleague('member')
    const token = kind === 'of a session' ? own : await machine('member', own)
    expect(await statusOf('GET', '/slos', undefined, token)).toBe(200)
    expect(await statusOf('DELETE', `/organization/users/${id}`, undefined, ada.token)).toBe(200)
    expect(await statusOf('GET', '/slos', undefined, token)).toBe(401)
  })
})

describe('over a socket', () => {
  test.each([
    ['two tokens', ['Authorization: Bearer TOKEN', 'Authorization: Bearer TOKEN']],
    ['a token and garbage', ['Authorization: Bearer TOKEN', 'authorization: x']],
    ['garbage and a token', ['AUTHORIZATION: Bearer x', 'Authorization: Bearer TOKEN']],
    ['a token folded into the next line', ['Authorization: Bearer', ' TOKEN']],
    ['a space before the colon', ['Authorization : Bearer TOKEN']],
    ['letters beyond ASCII', ['Authorization: Bearer éTOKEN']],
    ['100 kB', [`Authorization: Bearer ${'a'.repeat(100_000)}`]],
    ['the token under another name', ['Proxy-Authorization: Bearer TOKEN', 'X-Authorization: Bearer TOKEN']],
    ['the token as a cookie', ['Cookie: token=TOKEN; access_token=TOKEN; Authorization=Bearer TOKEN']],
  ])('%s opens no door', async (_, headers) => {
    const url = nines.listen()
    const ask = (lines: string[]) =>
      talkTo(url, ['GET /api/v1/auth/me HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n'))
    expect(await ask([`Authorization: Bearer ${ada.token}`])).toStartWith('HTTP/1.1 200')
    const answer = await ask(headers.map((line) => line.replace('TOKEN', ada.token)))
    expect(answer).toMatch(/^HTTP\/1\.1 (?:400|401|431) /)
    expect(answer).not.toContain('ada@example.com')
  })
})
