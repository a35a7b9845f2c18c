import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser, audited, isGood, login } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'

const minute = 60_000

let nines: TestApp
let ada: string
beforeEach(async () => {
  nines = await joinedApp()
  ada = nines.token() ?? ''
})
afterEach(() => nines.close())

const path = '/api/v1/auth/tokens'
const create = (token: string, body: object = {}) =>
  nines.call('POST', path, { name: 'ci', role: 'member', ...body }, { token })
const list = (token: string) => nines.call('GET', path, undefined, { token })
const revoke = (token: string, id: number) => nines.call('DELETE', `${path}/${id}`, undefined, { token })
const rows = () => nines.app.db.read.selectFrom('api_tokens').selectAll().orderBy('id').execute()
const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const write = (token: string) => nines.call('POST', '/api/v1/slos', slo, { token })
const forbidden = { success: false, error: 'Insufficient permissions' }

describe('an API token', () => {
  test('is in one response only, and acts for who made it', async () => {
    const { status, body } = await create(ada)
    expect([status, body]).toEqual([
      201,
      {
        token: expect.stringMatching(/^nines_[\w-]{43}$/),
        id: 1,
        name: 'ci',
        role: 'member',
        scope: null,
        user_id: 1,
        created_by_name: 'ada',
        expires_at: null,
        last_used_at: null,
        created_at: new Date(nines.clock.now()).toISOString(),
      },
    ])
    const me = await nines.call('GET', '/api/v1/auth/me', undefined, { token: body.token })
    expect(me.body).toMatchObject({ id: 1, email: 'ada@example.com' })
    expect((await write(body.token)).status).toBe(201)
    expect((await list(ada)).text).not.toContain(body.token)
    expect(JSON.stringify(await rows())).not.toContain(body.token)
    expect(await audited(nines, 'api_token_created')).toEqual(['ada@example.com success'])
  })

  test('with a scope says so, and does nothing else than that', async () => {
    const { status, body } = await create(ada, { role: 'admin', scope: 'annotate' })
    expect([status, body.scope]).toEqual([201, 'annotate'])
    expect((await list(ada)).body.tokens).toMatchObject([{ scope: 'annotate' }])
    const refused = { ...forbidden, details: 'the API token has the scope annotate' }
    expect(await write(body.token)).toMatchObject({ status: 403, body: refused })
    expect(await nines.call('GET', '/api/v1/slos', undefined, { token: ada })).toMatchObject({ status: 200 })
    expect(await nines.call('GET', '/api/v1/slos', undefined, { token: body.token })).toMatchObject({ status: 403 })
  })

  test.each(['everything', '', 1])('has none of the scopes: %p', async (scope) => {
    expect((await create(ada, { scope })).status).toBe(400)
    expect(await rows()).toEqual([])
  })

  test('can do what its role can, and no more than who made it can by now', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const [viewer, member] = [(await create(bob, { role: 'viewer' })).body.token, (await create(bob)).body.token]
    expect([(await write(viewer)).status, (await write(member)).status]).toEqual([403, 201])
    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).where('name', '=', 'bob').execute()
    nines.app.tokens.invalidate(({ email }) => email === 'bob@example.com')
    expect([(await write(member)).status, await isGood(nines, member)]).toEqual([403, true])
    await nines.app.db.write.updateTable('users').set({ role: 'admin' }).where('name', '=', 'bob').execute()
    nines.app.tokens.invalidate(({ email }) => email === 'bob@example.com')
    expect([(await write(viewer)).status, (await write(member)).status]).toEqual([403, 201])
  })

  test('expires', async () => {
    const expires_at = new Date(nines.clock.now() + 90_000).toISOString()
    const { body } = await create(ada, { expires_at })
    expect(body.expires_at).toBe(expires_at)
    nines.clock.advance(89_999)
    expect(await isGood(nines, body.token)).toBe(true)
    nines.clock.advance(1)
    expect(await isGood(nines, body.token)).toBe(false)
  })

  test('outlives the session it was made in, and a change of password', async () => {
    const { body } = await create(ada)
    await nines.call('POST', '/api/v1/auth/logout')
    expect(await isGood(nines, body.token)).toBe(true)
  })

  test('goes with who made it', async () => {
    const { body } = await create(await addUser(nines, 'bob', 'member'))
    expect(await isGood(nines, body.token)).toBe(true)
    await nines.app.db.write.deleteFrom('users').where('name', '=', 'bob').execute()
    nines.app.tokens.invalidate(({ email }) => email === 'bob@example.com')
    expect(await isGood(nines, body.token)).toBe(false)
  })

  test.each(['nines_', `nines_${'x'.repeat(43)}`, 'nines_a.b.c'])('is not guessed as %p', async (guess) => {
    expect(await isGood(nines, guess)).toBe(false)
  })

  test('has its use written down, once a minute at most', async () => {
    const { body } = await create(ada)
    const lastUsed = async () => {
      await nines.call('GET', '/api/v1/auth/me', undefined, { token: body.token })
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      return (await rows())[0]?.last_used_at
    }
    const first = nines.clock.now()
    expect(await lastUsed()).toBe(first)
    nines.clock.advance(minute - 1)
    expect(await lastUsed()).toBe(first)
    nines.app.tokens.invalidate(() => true)
    expect(await lastUsed()).toBe(first)
    nines.clock.advance(1)
    expect(await lastUsed()).toBe(first + minute)
    expect((await list(ada)).body.tokens[0].last_used_at).toBe(new Date(first + minute).toISOString())
  })

  test.each([
    ['POST', '/api/v1/auth/tokens'],
    ['DELETE', '/api/v1/auth/tokens/1'],
    ['POST', '/api/v1/auth/logout'],
    ['POST', '/api/v1/auth/change-password'],
  ])('cannot %s %s', async (method, path) => {
    const { body } = await create(ada, { role: 'admin' })
    // last_used_at is written after the answer
    const stored = async () => (await rows()).map((row) => ({ ...row, last_used_at: null }))
    const before = await stored()
    const answer = await nines.call(method, path, method === 'POST' ? {} : undefined, { token: body.token })
    expect([answer.status, answer.body]).toEqual([
      403,
      { ...forbidden, details: expect.stringContaining('the access token of a session') },
    ])
    expect([await stored(), await isGood(nines, ada), await isGood(nines, body.token)]).toEqual([before, true, true])
  })
})

describe('making one', () => {
  test.each([
    ['viewer', 'viewer', 201],
    ['viewer', 'member', 403],
    ['member', 'member', 201],
    ['member', 'admin', 403],
  ] as const)('as %s with the role %s is %p', async (own, role, status) => {
    const answer = await create(await addUser(nines, 'bob', own), { role })
    expect(answer.status).toBe(status)
    const message = `must be ${own}, or less`
    const problems = [{ field: 'role', message, code: 'not_allowed', params: { max_role: own }, got: `"${role}"` }]
    const details = `role: ${message}, got "${role}"`
    if (status === 403) expect(answer.body).toEqual({ ...forbidden, details, problems })
    expect(await rows()).toHaveLength(status === 201 ? 1 : 0)
  })

  test.each([
    [
      'no name',
      { name: undefined },
      'name: is required: 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a name of two lines',
      { name: 'a\nb' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    ['no role', { role: undefined }, 'role: is required: one of viewer, member, admin'],
    ['an unknown role', { role: 'root' }, 'role: must be one of viewer, member, admin'],
    [
      'an end in the past',
      { expires_at: '2020-01-01T00:00:00Z' },
      'expires_at: must be an ISO 8601 time with a zone, in the future',
    ],
    [
      'an end without a zone',
      { expires_at: '2099-01-01T00:00:00' },
      'expires_at: must be an ISO 8601 time with a zone, in the future',
    ],
    [
      'an end as a number',
      { expires_at: 4_000_000_000 },
      'expires_at: must be an ISO 8601 time with a zone, in the future',
    ],
  ])('with %s is refused', async (_, difference, details) => {
    const { status, body } = await create(ada, difference)
    expect([status, body, rulesOf(body)]).toEqual([
      400,
      { success: false, error: 'Invalid request', details: expect.any(String), problems: expect.any(Array) },
      details,
    ])
    expect(await rows()).toEqual([])
  })

  test('takes nothing from the body but name, role and end', async () => {
    const { body } = await create(ada, { expires_at: null, user_id: 7, organization_id: 7, hash: 'x', last_used_at: 1 })
    expect(await rows()).toMatchObject([{ user_id: 1, organization_id: 1, last_used_at: null }])
    expect(body.expires_at).toBeNull()
  })
})

describe('listing and revoking', () => {
  test('administrators see the organization’s, others their own, and nobody another organization’s', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const eve = await nines.join('eve')
    for (const [token, name] of [
      [ada, 'a'],
      [bob, 'b'],
      [eve, 'e'],
    ] as const)
      await create(token, { name })
    const seen = async (token: string) => {
      const { body } = await list(token)
      expect(body.total).toBe(body.tokens.length)
      return body.tokens.map(({ name, created_by_name }: Record<string, string>) => `${name} of ${created_by_name}`)
    }
    expect([await seen(ada), await seen(bob), await seen(eve)]).toEqual([
      ['a of ada', 'b of bob'],
      ['b of bob'],
      ['e of eve'],
    ])
  })

  test('a revoked one is refused at once', async () => {
    const { body } = await create(ada)
    expect(await isGood(nines, body.token)).toBe(true)
    const answer = await revoke(ada, body.id)
    expect([answer.status, answer.body]).toEqual([200, { message: 'API token revoked' }])
    expect(await isGood(nines, body.token)).toBe(false)
    expect((await revoke(ada, body.id)).status).toBe(404)
    expect(await audited(nines, 'api_token_revoked')).toEqual(['ada@example.com success'])
  })

  test('a member revokes their own, and an administrator everybody’s', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const [own, other] = [(await create(bob)).body, (await create(bob)).body]
    expect([(await revoke(bob, own.id)).status, (await revoke(ada, other.id)).status]).toEqual([200, 200])
    expect([await isGood(nines, own.token), await isGood(nines, other.token)]).toEqual([false, false])
  })

  test.each(['bob', 'eve'])('for %s the token of ada does not exist', async (name) => {
    const { body } = await create(ada)
    const token = name === 'bob' ? await addUser(nines, 'bob', 'member') : await nines.join('eve')
    const [theirs, nobodys] = [await revoke(token, body.id), await revoke(token, 999)]
    expect([theirs.status, theirs.text]).toEqual([404, nobodys.text])
    expect(await isGood(nines, body.token)).toBe(true)
  })
})

test('a session that has ended makes no API tokens', async () => {
  const { body } = await login(nines, 'ada')
  await nines.call('POST', '/api/v1/auth/logout', undefined, { token: body.access_token })
  expect((await create(body.access_token)).status).toBe(401)
  expect(await rows()).toEqual([])
})
