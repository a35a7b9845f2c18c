import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { audited, isGood, login } from '../../support/accounts.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import {
  challengeOf,
  codeNow,
  type Factor,
  secondStep,
  secondStepsAt,
  setUpFactor,
} from '../../support/second-factor.ts'

const minuteMs = 60_000

let nines: TestApp
let factor: Factor
beforeEach(async () => {
  nines = await joinedApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  factor = await setUpFactor(nines)
})
afterEach(() => nines.close())

const attempts = async () => (await nines.app.db.read.selectFrom('login_attempts').selectAll().execute()).length
const sessions = async () => (await nines.app.db.read.selectFrom('sessions').selectAll().execute()).length
const wrong = { code: '000000' }
const codeOfBody = ({ body }: { body: { code?: string } }) => body.code

describe('the first step', () => {
  test('answers a right password with a token for the second step, good for five minutes, and opens no session', async () => {
    const before = await sessions()
    const { status, body, headers } = await login(nines, 'ada')
    expect(status).toBe(401)
    expect(body).toEqual({
      success: false,
      error: 'Second factor required',
      details: expect.any(String),
      code: 'mfa_required',
      mfa_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: new Date(testStartMs + 30_000 + 5 * minuteMs).toISOString(),
    })
    expect(headers.get('set-cookie')).toBeNull()
    expect([await sessions(), await attempts()]).toEqual([before, 0])
  })

  test('is neither a failed login nor a sign-in in the audit log', async () => {
    await challengeOf(nines)
    expect(await audited(nines, 'login')).toEqual([])
  })

  test('does not forgive the failures before it', async () => {
    await login(nines, 'ada', 'incorrect horse')
    const token = await challengeOf(nines)
    expect(await attempts()).toBe(1)
    expect((await secondStep(nines, token, { code: codeNow(nines, factor) })).status).toBe(200)
    expect(await attempts()).toBe(0)
  })

  test('answers a wrong password as that of any account', async () => {
    const ours = await login(nines, 'ada', 'incorrect horse')
    const nobody = await login(nines, 'nobody', 'incorrect horse')
    expect([ours.status, ours.body]).toEqual([nobody.status, nobody.body])
  })

  test('keeps the newest 20 tokens of an account', async () => {
    const first = await challengeOf(nines)
    nines.clock.advance(1)
    for (let count = 0; count < 20; count += 1) await challengeOf(nines)
    expect(codeOfBody(await secondStep(nines, first, { code: codeNow(nines, factor) }))).toBe('mfa_token_invalid')
  })
})

describe('the second step', () => {
  test('opens a session with a code', async () => {
    const { status, body } = await secondStep(nines, await challengeOf(nines), { code: codeNow(nines, factor) })
    expect([status, body.user.email, body.token_type]).toEqual([200, 'ada@example.com', 'Bearer'])
    expect(await isGood(nines, body.access_token)).toBe(true)
    expect(await audited(nines, 'login')).toEqual(['ada@example.com success'])
  })

  test('gives a browser its refresh token as a cookie', async () => {
    const mfa_token = await challengeOf(nines)
    const { body, headers } = await nines.call(
      'POST',
      '/api/v1/auth/login/mfa',
      { mfa_token, code: codeNow(nines, factor) },
      { token: null, headers: { 'x-nines-session': 'cookie' } },
    )
    expect([body.refresh_token, headers.get('set-cookie')?.includes('HttpOnly')]).toEqual([undefined, true])
  })

  test('takes a code with a space in it, as apps show it', async () => {
    const code = codeNow(nines, factor).replace(/^.../, '$& ')
    expect((await secondStep(nines, await challengeOf(nines), { code })).status).toBe(200)
  })

  test.each([
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ])('answers the code of a clock that is %p steps off with %p', async (steps, expected) => {
    nines.clock.advance(60_000)
    const { status } = await secondStep(nines, await challengeOf(nines), { code: codeNow(nines, factor, steps) })
    expect(status).toBe(expected)
  })

  test('takes each code once, also after a later sign-in, and none that is older than one it took', async () => {
    const code = codeNow(nines, factor)
    const before = codeNow(nines, factor, -1)
    expect((await secondStep(nines, await challengeOf(nines), { code })).status).toBe(200)
    const next = await challengeOf(nines)
    expect(codeOfBody(await secondStep(nines, next, { code }))).toBe('mfa_code_wrong')
    expect(codeOfBody(await secondStep(nines, next, { code: before }))).toBe('mfa_code_wrong')
    expect((await secondStep(nines, next, { code: codeNow(nines, factor, 1) })).status).toBe(200)
  })

  test('does not take the code that ended the set-up', async () => {
    nines.clock.advance(-30_000)
    expect((await secondStep(nines, await challengeOf(nines), { code: codeNow(nines, factor) })).status).toBe(401)
  })

  test('takes each recovery code once, however it is written', async () => {
    const [first = '', second = ''] = factor.recoveryCodes
    expect(first).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){5}$/)
    expect((await secondStep(nines, await challengeOf(nines), { recovery_code: first })).status).toBe(200)
    const token = await challengeOf(nines)
    expect(codeOfBody(await secondStep(nines, token, { recovery_code: first }))).toBe('mfa_code_wrong')
    const written = ` ${second.toUpperCase().replaceAll('-', ' ')} `
    expect((await secondStep(nines, token, { recovery_code: written })).status).toBe(200)
  })

  test('asks for exactly one of code and recovery code', async () => {
    const token = await challengeOf(nines)
    const both = { code: codeNow(nines, factor), recovery_code: factor.recoveryCodes[0] }
    expect([(await secondStep(nines, token, {})).status, (await secondStep(nines, token, both)).status]).toEqual([
      400, 400,
    ])
    expect((await secondStep(nines, token, { code: codeNow(nines, factor) })).status).toBe(200)
  })
})

describe('a token for the second step', () => {
  test('is good once', async () => {
    const token = await challengeOf(nines)
    expect((await secondStep(nines, token, { code: codeNow(nines, factor) })).status).toBe(200)
    expect(codeOfBody(await secondStep(nines, token, { code: codeNow(nines, factor, 1) }))).toBe('mfa_token_invalid')
  })

  test('ends after five minutes', async () => {
    const token = await challengeOf(nines)
    const late = await challengeOf(nines)
    nines.clock.advance(5 * minuteMs - 1)
    expect((await secondStep(nines, token, { code: codeNow(nines, factor) })).status).toBe(200)
    nines.clock.advance(1)
    expect(codeOfBody(await secondStep(nines, late, { code: codeNow(nines, factor, 1) }))).toBe('mfa_token_invalid')
  })

  test('ends with the fifth wrong code, which its answers count', async () => {
    const token = await challengeOf(nines)
    const left: number[] = []
    for (let tries = 0; tries < 5; tries += 1) left.push((await secondStep(nines, token, wrong)).body.attempts_left)
    expect(left).toEqual([4, 3, 2, 1, 0])
    const { status, body } = await secondStep(nines, token, { code: codeNow(nines, factor) })
    expect([status, body.code]).toEqual([401, 'mfa_token_invalid'])
    expect(await audited(nines, 'login')).toEqual(Array(5).fill('ada@example.com failure'))
  })

  test('is of its account alone: the code of another account does not end it', async () => {
    const eve = await nines.join('eve')
    const theirs = await setUpFactor(nines, eve)
    const token = await challengeOf(nines, 'ada')
    expect(codeOfBody(await secondStep(nines, token, { code: codeNow(nines, theirs) }))).toBe('mfa_code_wrong')
    const recovery_code = theirs.recoveryCodes[0]
    expect(codeOfBody(await secondStep(nines, token, { recovery_code }))).toBe('mfa_code_wrong')
    const { body } = await secondStep(nines, token, { code: codeNow(nines, factor) })
    expect(body.user.email).toBe('ada@example.com')
  })

  test.each(['x'.repeat(43), '', 'ä'])('%p is unknown', async (token) => {
    expect(codeOfBody(await secondStep(nines, token, { code: codeNow(nines, factor) }))).toBe('mfa_token_invalid')
  })

  test('ends when the password is changed, and when the second factor is disabled', async () => {
    const path = '/api/v1/auth'
    const first = await challengeOf(nines)
    const change = { current_password: 'correct horse', new_password: 'another horse' }
    expect((await nines.call('POST', `${path}/change-password`, change)).status).toBe(200)
    expect(codeOfBody(await secondStep(nines, first, { code: codeNow(nines, factor) }))).toBe('mfa_token_invalid')
    const second = (await login(nines, 'ada', 'another horse')).body.mfa_token
    const proof = { password: 'another horse', code: codeNow(nines, factor) }
    expect((await nines.call('POST', `${path}/second-factor/disable`, proof)).status).toBe(200)
    expect(codeOfBody(await secondStep(nines, second, { code: codeNow(nines, factor, 1) }))).toBe('mfa_token_invalid')
    expect((await login(nines, 'ada', 'another horse')).status).toBe(200)
  })

  test('is neither an access token nor a refresh token', async () => {
    const token = await challengeOf(nines)
    expect(await isGood(nines, token)).toBe(false)
    const refreshed = await nines.call('POST', '/api/v1/auth/refresh', { refresh_token: token }, { token: null })
    expect(refreshed.status).toBe(401)
  })
})

describe('of the same proof sent several times at once one succeeds', () => {
  test('with one token', async () => {
    const token = await challengeOf(nines)
    const code = codeNow(nines, factor)
    const answers = await Promise.all(Array.from({ length: 5 }, () => secondStep(nines, token, { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
  })

  test('with a token each, from many addresses', async () => {
    const from = secondStepsAt(nines.listen())
    const tokens = await Promise.all(Array.from({ length: 5 }, () => challengeOf(nines)))
    const code = codeNow(nines, factor)
    const answers = await Promise.all(tokens.map((token, n) => from(`192.0.2.${n}`, token, { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
  })

  test('of a recovery code too', async () => {
    const from = secondStepsAt(nines.listen())
    const tokens = await Promise.all(Array.from({ length: 5 }, () => challengeOf(nines)))
    const recovery_code = factor.recoveryCodes[0]
    const answers = await Promise.all(tokens.map((token, n) => from(`192.0.2.${n}`, token, { recovery_code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
  })

  test('no more than five wrong codes of a token are looked at', async () => {
    const from = secondStepsAt(nines.listen())
    const token = await challengeOf(nines)
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, n) => from(`192.0.2.${n}`, token, { code: String(n).repeat(6) })),
    )
    expect(answers.filter(({ body }) => body.code === 'mfa_code_wrong')).toHaveLength(5)
  })
})

describe('guesses of codes', () => {
  test('are refused after ten from many addresses, as those of passwords, and a right one too', async () => {
    const from = secondStepsAt(nines.listen())
    await nines.app.db.write.deleteFrom('known_networks').execute()
    const tokens = [await challengeOf(nines), await challengeOf(nines), await challengeOf(nines)]
    for (let tries = 0; tries < 10; tries += 1) {
      const { status } = await from(`192.0.2.${tries}`, tokens[Math.floor(tries / 5)] ?? '', wrong)
      expect(status).toBe(401)
    }
    const code = codeNow(nines, factor)
    const { status, body, headers } = await from('192.0.2.100', tokens[2] ?? '', { code })
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'Too many failed logins', '900'])
    expect((await login(nines, 'ada')).status).toBe(429)
    nines.clock.advance(15 * minuteMs)
    const later = await challengeOf(nines)
    expect((await secondStep(nines, later, { code: codeNow(nines, factor) })).status).toBe(200)
  })

  test('of strangers do not lock the owner out of a network that is known', async () => {
    const from = secondStepsAt(nines.listen())
    await nines.app.db.write.deleteFrom('known_networks').execute()
    const home = '198.51.100.7'
    expect((await from(home, await challengeOf(nines), { code: codeNow(nines, factor) })).status).toBe(200)
    const token = await challengeOf(nines)
    const tokens = [await challengeOf(nines), await challengeOf(nines)]
    for (let tries = 0; tries < 10; tries += 1) {
      await from(`192.0.2.${tries}`, tokens[Math.floor(tries / 5)] ?? '', wrong)
    }
    expect((await from(home, token, { code: codeNow(nines, factor, 1) })).status).toBe(200)
  })

  test('of recovery codes count as well', async () => {
    await secondStep(nines, await challengeOf(nines), { recovery_code: 'aaaa-bbbb-cccc-dddd' })
    expect(await attempts()).toBe(1)
  })
})

test('tokens that have expired are deleted', async () => {
  await challengeOf(nines)
  nines.clock.advance(5 * minuteMs)
  const { credentialPruners } = await import('../../../src/auth/expired-store.ts')
  for (const prune of credentialPruners) await prune(nines.app.db.write, nines.clock.now(), 100)
  expect(await nines.app.db.read.selectFrom('sign_in_challenges').selectAll().execute()).toEqual([])
})
