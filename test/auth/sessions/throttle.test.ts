import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { audited, login } from '../../support/accounts.ts'
import { hashOpaqueToken } from '../../../src/auth/sessions/tokens.ts'
import { registration, type TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'

const minute = 60_000

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  await forgetNetworks() // logins come from unknown networks unless a test sets one
})
afterEach(() => nines.close())

const forgetNetworks = () => nines.app.db.write.deleteFrom('known_networks').execute()
const attempts = async () => (await nines.app.db.read.selectFrom('login_attempts').selectAll().execute()).length

/** Records failed logins without the 30 ms that each real one takes. */
async function failures(count: number, of: (n: number) => { email_key: string; ip: string }) {
  const rows = Array.from({ length: count }, (_, n) => ({ ...of(n), attempted_at: nines.clock.now() }))
  await nines.app.db.write.insertInto('login_attempts').values(rows).execute()
}

const ofAccount = (name: string) => (n: number) => ({ email_key: `${name}@example.com`, ip: `192.0.2.${n}` })
const fromAddress = (ip: string) => (n: number) => ({ email_key: `${n}@example.com`, ip })

describe('after 10 failures for an account', () => {
  test.each(['ada', 'nobody'])(
    'of %s not even the right password is looked at, for the rest of 15 minutes',
    async (name) => {
      for (let tries = 0; tries < 10; tries += 1) {
        expect((await login(nines, name, 'incorrect horse')).status).toBe(401)
        nines.clock.advance(minute)
      }
      const { status, body, headers } = await login(nines, name)
      expect([status, headers.get('retry-after')]).toEqual([429, '300'])
      expect(body).toEqual({
        success: false,
        error: 'Too many failed logins',
        limit: 10,
        window: '15m',
        message: 'Try again in 300 seconds',
      })
      expect(await attempts()).toBe(10)
      nines.clock.advance(5 * minute - 1)
      expect((await login(nines, name)).status).toBe(429)
      nines.clock.advance(1)
      expect((await login(nines, name)).status).toBe(name === 'ada' ? 200 : 401)
    },
  )

  test('in whatever case the e-mail is written, and others still get in', async () => {
    await nines.join('eve')
    await failures(10, ofAccount('ada'))
    expect((await login(nines, 'ADA')).status).toBe(429)
    expect((await login(nines, 'eve')).status).toBe(200)
  })

  test('refusals are no failures: they do not prolong it', async () => {
    await failures(10, ofAccount('ada'))
    nines.clock.advance(14 * minute)
    expect((await login(nines, 'ada')).status).toBe(429)
    nines.clock.advance(minute)
    expect((await login(nines, 'ada')).status).toBe(200)
  })

  test('9 are not 10', async () => {
    await failures(9, ofAccount('ada'))
    expect((await login(nines, 'ada')).status).toBe(200)
  })
})

describe('strangers who guess do not lock out', () => {
  test('a network the account has signed in from, which has 10 guesses of its own', async () => {
    await login(nines, 'ada')
    await failures(10, ofAccount('ada'))
    expect((await login(nines, 'ada')).status).toBe(200)
    for (let tries = 0; tries < 10; tries += 1) expect((await login(nines, 'ada', 'wrong horse')).status).toBe(401)
    expect((await login(nines, 'ada')).status).toBe(429)
    nines.clock.advance(15 * minute)
    expect((await login(nines, 'ada')).status).toBe(200)
  })

  test.each([
    ['refreshing', async (token: string) => nines.call('POST', '/api/v1/auth/refresh', { refresh_token: token })],
    ['registering', async () => nines.call('POST', '/api/v1/auth/register', registration('bob'), { token: null })],
  ])('a network that became known by %s', async (_, act) => {
    const { body } = await login(nines, 'ada')
    await forgetNetworks()
    await act(body.refresh_token)
    await failures(10, ofAccount('ada'))
    await failures(10, ofAccount('bob'))
    expect((await login(nines, _ === 'refreshing' ? 'ada' : 'bob')).status).toBe(200)
  })

  test('a live session: it is refreshed, and its password changed', async () => {
    const { body } = await login(nines, 'ada')
    await forgetNetworks()
    await failures(10, ofAccount('ada'))
    await failures(50, fromAddress('unknown'))
    const change = { current_password: 'correct horse', new_password: 'another horse' }
    const token = { token: body.access_token }
    expect((await nines.call('POST', '/api/v1/auth/change-password', change, token)).status).toBe(200)
    const refresh = { refresh_token: body.refresh_token }
    expect((await nines.call('POST', '/api/v1/auth/refresh', refresh, { token: null })).status).toBe(200)
  })

  test('but they are locked out where the last success is 30 days old, or was for another account', async () => {
    await login(nines, 'ada')
    nines.clock.advance(30 * 24 * 60 * minute)
    await nines.join('eve')
    await failures(10, ofAccount('ada'))
    expect((await login(nines, 'ada')).status).toBe(429)
    expect((await login(nines, 'eve')).status).toBe(200)
  })

  test('and a reset by mail forgets which networks an earlier holder came from', async () => {
    await login(nines, 'ada')
    const token = crypto.randomUUID()
    const times = { created_at: nines.clock.now(), expires_at: nines.clock.now() + 1000, used_at: null }
    const reset = { hash: hashOpaqueToken(token), user_id: 1, ...times }
    await nines.app.db.write.insertInto('password_resets').values(reset).execute()
    const confirmed = { token, new_password: 'another horse' }
    expect((await nines.call('POST', '/api/v1/auth/password-reset-confirm', confirmed)).status).toBe(200)
    await failures(10, ofAccount('ada'))
    expect((await login(nines, 'ada', 'another horse')).status).toBe(429)
  })
})

test('50 failures from an address refuse it every account, and no other address', async () => {
  const base = nines.listen()
  const loginFrom = (ip: string) =>
    fetch(`${base}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse' }),
    })
  await failures(49, fromAddress('192.0.2.1'))
  expect((await loginFrom('192.0.2.1')).status).toBe(200)
  await failures(1, fromAddress('192.0.2.1'))
  const refused = await loginFrom('192.0.2.1')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900'])
  expect(await refused.json()).toMatchObject({ success: false, limit: 50, window: '15m' })
  expect((await loginFrom('192.0.2.2')).status).toBe(200)

  await failures(50, fromAddress('2001:db8:0:0::/64'))
  expect((await loginFrom('2001:db8::1')).status).toBe(429)
  expect((await loginFrom('2001:db8:0:1::1')).status).toBe(200)
})

test('guesses at the same time cannot slip past the count', async () => {
  const answers = await Promise.all(Array.from({ length: 14 }, () => login(nines, 'ada', 'incorrect horse')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
  expect(await attempts()).toBe(10)
})

test('guesses at many accounts at the same time cannot slip past the count of the address', async () => {
  await failures(47, fromAddress('unknown'))
  const names = ['ada', 'b', 'c', 'd', 'e', 'f']
  const answers = await Promise.all(names.map((name) => login(nines, name, 'incorrect horse')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([401, 401, 401, 429, 429, 429])
})

test('many right passwords at the same time are no guesses', async () => {
  await failures(9, ofAccount('ada'))
  const answers = await Promise.all(Array.from({ length: 12 }, () => login(nines, 'ada')))
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
})

test('a success forgives the account what failed from the same address, and nothing else', async () => {
  await failures(5, () => ({ email_key: 'ada@example.com', ip: 'unknown' }))
  await failures(4, ofAccount('ada'))
  await failures(3, () => ({ email_key: 'eve@example.com', ip: 'unknown' }))
  await login(nines, 'ada')
  const left = await nines.app.db.read.selectFrom('login_attempts').select(['email_key', 'ip']).execute()
  expect(left.filter(({ email_key }) => email_key === 'ada@example.com')).toHaveLength(4)
  expect(left.filter(({ ip }) => ip === 'unknown')).toHaveLength(3)
})

test('the audit log has logins and failures of those who have an account, and of nobody else', async () => {
  await login(nines, 'ada', 'incorrect horse')
  await login(nines, 'nobody')
  await login(nines, 'ada')
  expect(await audited(nines, 'login')).toEqual(['ada@example.com failure', 'ada@example.com success'])
  expect(await attempts()).toBe(1)
})

test('failures from before the clock was set back lock nobody out for as long as that', async () => {
  await failures(10, ofAccount('ada'))
  expect((await login(nines, 'ada')).status).toBe(429)
  nines.clock.jump(-86_400_000)
  expect((await login(nines, 'ada')).status).toBe(200)
})
