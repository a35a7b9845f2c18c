import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openSession } from '../../../src/auth/sessions/sessions.ts'
import { addUser, isGood, login } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { codeNow, type Factor, setUpFactor } from '../../support/second-factor.ts'

let nines: TestApp
let grace: string
beforeEach(async () => {
  nines = await joinedApp()
  grace = await addUser(nines, 'grace', 'member')
})
afterEach(() => nines.close())

const require = (second_factor_required: boolean) =>
  nines.call('PUT', '/api/v1/organization', { second_factor_required })
const statusOf = async (token: string, path = '/api/v1/slos', method = 'GET') =>
  (await nines.call(method, path, undefined, { token })).status

describe('an organization that requires a second factor', () => {
  let factor: Factor
  beforeEach(async () => {
    factor = await setUpFactor(nines)
    const { status, body } = await require(true)
    expect([status, body.second_factor_required]).toEqual([200, true])
  })

  test('refuses a session that is open already everything but setting one up', async () => {
    const { status, body } = await nines.call('GET', '/api/v1/slos', undefined, { token: grace })
    expect([status, body.code, body.success]).toEqual([403, 'mfa_setup_required', false])
    const create = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, { token: grace })
    expect([create.status, create.body.code]).toEqual([403, 'mfa_setup_required'])
    expect(await statusOf(grace, '/api/v1/ws/subscribe')).toBe(403)
    expect(await statusOf(grace, '/api/v1/auth/second-factor')).toBe(200)
    const me = await nines.call('GET', '/api/v1/auth/me', undefined, { token: grace })
    expect([me.status, me.body.mfa_setup_required]).toEqual([200, true])
  })

  test('gives tokens that say so, also renewed ones, until it is set up', async () => {
    const { status, body } = await login(nines, 'grace')
    expect([status, body.user.mfa_setup_required]).toEqual([200, true])
    const { refresh_token } = body
    const renewed = await nines.call('POST', '/api/v1/auth/refresh', { refresh_token }, { token: null })
    expect([renewed.status, renewed.body.user.mfa_setup_required]).toEqual([200, true])
    const token = renewed.body.access_token
    expect(await statusOf(token)).toBe(403)
    await setUpFactor(nines, token)
    expect(await statusOf(token)).toBe(200)
    const me = await nines.call('GET', '/api/v1/auth/me', undefined, { token })
    expect(me.body.mfa_setup_required).toBeUndefined()
  })

  test('lets a refused session sign out', async () => {
    expect(await statusOf(grace, '/api/v1/auth/logout', 'POST')).toBe(200)
    expect(await isGood(nines, grace)).toBe(false)
  })

  test('changes nothing for who has one', async () => {
    expect(await statusOf(nines.token() ?? '')).toBe(200)
  })

  test('does not ask it of a session that a provider opened', async () => {
    const user = await nines.app.db.read
      .selectFrom('users')
      .selectAll()
      .where('name', '=', 'grace')
      .executeTakeFirstOrThrow()
    const { access_token, user: shown } = await openSession(nines.app, user, { external: { idToken: null } })
    expect([await statusOf(access_token), 'mfa_setup_required' in shown]).toEqual([200, false])
  })

  test('does not ask it of people of other organizations', async () => {
    expect(await statusOf(await nines.join('eve'))).toBe(200)
  })

  test('refuses again who disables theirs', async () => {
    const proof = { password: 'correct horse', code: codeNow(nines, factor) }
    expect((await nines.call('POST', '/api/v1/auth/second-factor/disable', proof)).status).toBe(200)
    expect(await statusOf(nines.token() ?? '')).toBe(403)
  })

  test('lets them in at once when it does not require one any more', async () => {
    await require(false)
    expect(await statusOf(grace)).toBe(200)
  })
})

test('API tokens go on to work when the requirement comes', async () => {
  const made = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, { token: grace })
  await require(true)
  expect(await statusOf(made.body.token)).toBe(200)
})

test('an administrator who has none turns it on, and has to set one up next', async () => {
  expect((await require(true)).status).toBe(200)
  expect((await require(false)).body.code).toBe('mfa_setup_required')
  await setUpFactor(nines)
  expect((await require(false)).status).toBe(200)
})

test('only administrators change it, and the audit log has the change', async () => {
  const body = { second_factor_required: true }
  expect((await nines.call('PUT', '/api/v1/organization', body, { token: grace })).status).toBe(403)
  await require(true)
  const log = nines.app.db.read.selectFrom('audit_log').select('details').where('event', '=', 'organization_changed')
  expect((await log.execute()).map(({ details }) => JSON.parse(details))).toEqual([
    { second_factor_required: 1, second_factor_required_before: 0 },
  ])
})

test('administrators see who has a second factor, and others do not', async () => {
  await setUpFactor(nines, grace)
  const listed = async (token = nines.token()) =>
    (await nines.call('GET', '/api/v1/organization/users', undefined, { token })).body.users.map(
      ({ name, second_factor }: { name: string; second_factor?: boolean }) => [name, second_factor],
    )
  expect(await listed()).toEqual([
    ['ada', false],
    ['grace', true],
  ])
  expect(await listed(grace)).toEqual([
    ['ada', undefined],
    ['grace', undefined],
  ])
})
