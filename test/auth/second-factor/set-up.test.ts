import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { codeOf } from '../../../src/auth/second-factor/totp.ts'
import { addUser, audited, isGood, login } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { challengeOf, codeNow, type Factor, secondStep, setUpFactor } from '../../support/second-factor.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const path = '/api/v1/auth/second-factor'
const password = 'correct horse'
const state = async () => (await nines.call('GET', path)).body
const none = { is_set_up: false, set_up_at: null, recovery_codes_left: 0, is_required: false }

describe('setting it up', () => {
  test('takes the password and a first code, and is asked for from then on', async () => {
    expect(await state()).toEqual(none)
    const { status, body } = await nines.call('POST', path, { password })
    expect([status, body]).toEqual([
      200,
      { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), otpauth_url: expect.stringContaining(body.secret) },
    ])
    expect(await state()).toEqual(none)
    expect((await login(nines, 'ada')).status).toBe(200)
    const confirmed = await nines.call('POST', `${path}/confirm`, { code: codeNow(nines, body) })
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10)
    expect(await state()).toEqual({
      is_set_up: true,
      set_up_at: new Date(nines.clock.now()).toISOString(),
      recovery_codes_left: 10,
      is_required: false,
    })
    expect((await login(nines, 'ada')).body.code).toBe('mfa_required')
    expect(await audited(nines, 'second_factor_enabled')).toEqual(['ada@example.com success'])
  })

  test('stores neither the secret nor a recovery code', async () => {
    const { secret, recoveryCodes } = await setUpFactor(nines)
    const { read } = nines.app.db
    const rows = [
      await read.selectFrom('second_factors').selectAll().execute(),
      await read.selectFrom('recovery_codes').selectAll().execute(),
      await read.selectFrom('audit_log').selectAll().execute(),
    ]
    const text = JSON.stringify(rows)
    for (const shown of [secret, ...recoveryCodes, ...recoveryCodes.map((one) => one.replaceAll('-', ''))]) {
      expect(text).not.toContain(shown)
    }
  })

  test('is refused with a wrong password, which counts as a wrong one of the session', async () => {
    expect((await nines.call('POST', path, { password: 'incorrect horse' })).status).toBe(401)
    expect(await audited(nines, 'second_factor_enabled')).toEqual(['ada@example.com failure'])
    for (let tries = 1; tries < 10; tries += 1) await nines.call('POST', path, { password: 'incorrect horse' })
    expect((await nines.call('POST', path, { password })).status).toBe(429)
    expect(await nines.app.db.read.selectFrom('second_factors').selectAll().execute()).toEqual([])
  })

  test('goes on with the secret that was shown last', async () => {
    const first = (await nines.call('POST', path, { password })).body
    const second = (await nines.call('POST', path, { password })).body
    expect((await nines.call('POST', `${path}/confirm`, { code: codeNow(nines, first) })).status).toBe(401)
    expect((await nines.call('POST', `${path}/confirm`, { code: codeNow(nines, second) })).status).toBe(200)
  })

  test('is refused with a code of another time', async () => {
    const { secret } = (await nines.call('POST', path, { password })).body
    const { status, body } = await nines.call('POST', `${path}/confirm`, { code: codeOf(secret, 7) })
    expect([status, body.code, body.problems[0].field]).toEqual([401, 'mfa_code_wrong', 'code'])
    expect((await state()).is_set_up).toBe(false)
  })

  test('is refused where there is one, or none has begun', async () => {
    expect((await nines.call('POST', `${path}/confirm`, { code: '123456' })).status).toBe(409)
    const factor = await setUpFactor(nines)
    expect((await nines.call('POST', path, { password })).status).toBe(409)
    expect((await nines.call('POST', `${path}/confirm`, { code: codeNow(nines, factor) })).status).toBe(409)
  })

  test('of an account without a password is refused: its provider asks', async () => {
    await nines.app.db.write.updateTable('users').set({ password_hash: '' }).execute()
    const { status, body } = await nines.call('POST', path, { password })
    expect([status, body.error]).toEqual([409, 'The account has no password'])
  })

  test('twice at once succeeds once', async () => {
    const begun = (await nines.call('POST', path, { password })).body
    const code = codeNow(nines, begun)
    const answers = await Promise.all([1, 2, 3].map(() => nines.call('POST', `${path}/confirm`, { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  test('ends the other sessions of the account, and no other ones', async () => {
    const other = (await login(nines, 'ada')).body.access_token
    const eve = await addUser(nines, 'eve', 'viewer')
    await setUpFactor(nines)
    const tokens = [nines.token() ?? '', other, eve]
    expect(await Promise.all(tokens.map((token) => isGood(nines, token)))).toEqual([true, false, true])
  })

  test('takes the access token of a session', async () => {
    const token = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'admin' })).body.token
    expect((await nines.call('POST', path, { password }, { token })).status).toBe(403)
  })
})

describe('an account with a second factor', () => {
  let factor: Factor
  beforeEach(async () => {
    factor = await setUpFactor(nines)
  })

  test('replaces its recovery codes, with password and code', async () => {
    const proof = { password, code: codeNow(nines, factor) }
    const { status, body } = await nines.call('POST', `${path}/recovery-codes`, proof)
    expect([status, body.recovery_codes.length]).toEqual([200, 10])
    const token = await challengeOf(nines)
    expect((await secondStep(nines, token, { recovery_code: factor.recoveryCodes[0] })).status).toBe(401)
    expect((await secondStep(nines, token, { recovery_code: body.recovery_codes[0] })).status).toBe(200)
    expect((await state()).recovery_codes_left).toBe(9)
    expect(await audited(nines, 'recovery_codes_created')).toEqual(['ada@example.com success'])
  })

  test('disables it, with password and code or recovery code', async () => {
    const { status } = await nines.call('POST', `${path}/disable`, { password, code: codeNow(nines, factor) })
    expect([status, await state()]).toEqual([200, none])
    expect((await login(nines, 'ada')).status).toBe(200)
    const next = await setUpFactor(nines)
    const recovery_code = next.recoveryCodes[3]
    expect((await nines.call('POST', `${path}/disable`, { password, recovery_code })).status).toBe(200)
    expect(await audited(nines, 'second_factor_disabled')).toEqual(Array(2).fill('ada@example.com success'))
  })

  test.each(['disable', 'recovery-codes'])('keeps it where %s gets a wrong password or a wrong code', async (what) => {
    const before = await state()
    const code = codeNow(nines, factor)
    const wrongs = [
      { password: 'incorrect horse', code },
      { password, code: '000000' },
      { password, recovery_code: 'aaaa-bbbb-cccc-dddd' },
    ]
    for (const proof of wrongs) expect((await nines.call('POST', `${path}/${what}`, proof)).status).toBe(401)
    expect((await nines.call('POST', `${path}/${what}`, { password })).status).toBe(400)
    expect(await state()).toEqual(before)
    const event = what === 'disable' ? 'second_factor_disabled' : 'recovery_codes_created'
    expect(await audited(nines, event)).toEqual(Array(3).fill('ada@example.com failure'))
  })

  test('has ten wrong codes of a session, and then not even a right one', async () => {
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await nines.call('POST', `${path}/disable`, { password, code: '000000' })).status).toBe(401)
    }
    const { status } = await nines.call('POST', `${path}/disable`, { password, code: codeNow(nines, factor) })
    expect([status, (await state()).is_set_up]).toEqual([429, true])
  })

  test('spends a code that disables or signs in on one of them', async () => {
    const code = codeNow(nines, factor)
    expect((await secondStep(nines, await challengeOf(nines), { code })).status).toBe(200)
    expect((await nines.call('POST', `${path}/disable`, { password, code })).status).toBe(401)
  })

  test('is asked for it after a new password too', async () => {
    const change = { current_password: password, new_password: 'another horse' }
    expect((await nines.call('POST', '/api/v1/auth/change-password', change)).status).toBe(200)
    expect((await login(nines, 'ada', 'another horse')).body.code).toBe('mfa_required')
  })

  test('makes API tokens within 15 minutes of its sign-in, and after another sign-in again', async () => {
    const make = (token = nines.token()) =>
      nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, { token })
    nines.clock.advance(15 * 60_000 - 30_000)
    expect((await make()).status).toBe(201)
    nines.clock.advance(1)
    const { status, body } = await make()
    expect([status, body.code]).toEqual([403, 'sign_in_again'])
    const signedIn = await secondStep(nines, await challengeOf(nines), { code: codeNow(nines, factor) })
    expect((await make(signedIn.body.access_token)).status).toBe(201)
  })

  test('invites administrators and makes one within 15 minutes of its sign-in, and others at any time', async () => {
    await addUser(nines, 'bob', 'viewer')
    const invite = (role: string) =>
      nines.call('POST', '/api/v1/organization/invitations', { email: 'eve@example.com', role })
    const raise = (role: string) => nines.call('PUT', '/api/v1/organization/users/2', { role })
    expect([(await invite('admin')).status, (await raise('admin')).status]).toEqual([201, 200])
    expect((await raise('viewer')).status).toBe(200)
    nines.clock.advance(15 * 60_000)
    const refused = [await invite('admin'), await raise('admin')]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'sign_in_again'],
      [403, 'sign_in_again'],
    ])
    expect([(await invite('member')).status, (await raise('member')).status]).toEqual([201, 200])
  })
})

test('an account without a second factor makes API tokens at any time', async () => {
  nines.clock.advance(3_600_000 - 60_000)
  expect((await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' })).status).toBe(201)
})
