import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { addUser, audited, isGood, login, usualPassword } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { codeNow, setUpFactor } from '../../support/second-factor.ts'

const hour = 3_600_000
const path = '/api/v1/auth/me/email'

let box: MailServer
beforeAll(async () => {
  box = await startMailServer()
})
afterAll(() => box.close())

let nines: TestApp
beforeEach(async () => {
  box.mails.length = 0
  nines = await joinedApp({ env: { SMTP_URL: box.url, PUBLIC_URL: 'https://nines.example' } })
})
afterEach(() => nines.close())

const request = (email: string, password = usualPassword) => nines.call('PUT', path, { email, password })
const own = async () => (await nines.call('GET', path)).body
const confirm = (token: string) => nines.call('POST', '/api/v1/auth/confirm-email', { token }, { token: null })
const loginAs = async (email: string) =>
  (await nines.call('POST', '/api/v1/auth/login', { email, password: usualPassword }, { token: null })).status

/** Mails since the last call, by receiver. */
async function mailed(): Promise<Record<string, string>> {
  await nines.app.mailer.drain()
  return Object.fromEntries(box.mails.splice(0).map(({ to, text }) => [to.join(), text]))
}
const tokenIn = (text = '') => /confirm-email\?token=([\w-]+)/.exec(text)?.[1] ?? ''

test('the present address holds until the link in the mail to the new one is followed', async () => {
  const { status, body } = await request(' New@example.com ')
  const expires_at = new Date(nines.clock.now() + 24 * hour).toISOString()
  const waiting = { email: 'ada@example.com', email_confirmed: true, pending: { email: 'New@example.com', expires_at } }
  expect([status, body, await own()]).toEqual([200, waiting, waiting])
  const mails = await mailed()
  expect(Object.keys(mails).toSorted()).toEqual(['New@example.com', 'ada@example.com'])
  expect(mails['ada@example.com']).toContain('is to have the address New@example.com')
  expect(mails['ada@example.com']).not.toContain('token=')
  expect([await loginAs('new@example.com'), await loginAs('ada@example.com')]).toEqual([401, 200])
  await mailed()

  const token = tokenIn(mails['New@example.com'])
  expect((await confirm(token)).status).toBe(200)
  expect(await own()).toEqual({ email: 'New@example.com', email_confirmed: true, pending: null })
  expect([await loginAs('new@example.com'), await loginAs('ada@example.com')]).toEqual([200, 401])
  expect((await mailed())['ada@example.com']).toContain('has the address New@example.com from now on')
  expect((await nines.call('GET', '/api/v1/auth/me')).body.email).toBe('New@example.com')
  expect((await confirm(token)).status).toBe(401)
  expect(await audited(nines, 'email_changed')).toEqual(['New@example.com success'])
})

test('a password reset that was mailed to the earlier address ends with the change', async () => {
  await nines.call('POST', '/api/v1/auth/password-reset-request', { email: 'ada@example.com' }, { token: null })
  const reset = /reset-password\?token=([\w-]+)/.exec((await mailed())['ada@example.com'] ?? '')?.[1]
  await request('new@example.com')
  await confirm(tokenIn((await mailed())['new@example.com']))
  const body = { token: reset, new_password: 'another horse' }
  expect((await nines.call('POST', '/api/v1/auth/password-reset-confirm', body, { token: null })).status).toBe(401)
})

test('a link is good for a day, and a later request or a withdrawal ends it', async () => {
  const links: string[] = []
  for (const email of ['one@example.com', 'two@example.com']) {
    await request(email)
    links.push(tokenIn((await mailed())[email]))
  }
  const [first = '', second = ''] = links
  expect((await confirm(first)).status).toBe(401)
  expect((await nines.call('DELETE', path)).status).toBe(200)
  expect((await own()).pending).toBeNull()
  expect((await confirm(second)).status).toBe(401)
  await request('three@example.com')
  const third = tokenIn((await mailed())['three@example.com'])
  nines.clock.advance(24 * hour)
  expect((await confirm(third)).status).toBe(401)
  expect(await loginAs('ada@example.com')).toBe(200)
})

describe('a request is refused', () => {
  const pending = async () => (await own()).pending

  test('with a wrong password, which counts as a failed login', async () => {
    expect((await request('new@example.com', 'wrong horse')).status).toBe(401)
    const failures = nines.app.db.read.selectFrom('login_attempts').selectAll().execute()
    expect([await pending(), (await failures).length, await mailed()]).toEqual([null, 1, {}])
  })

  test('for the address of another account, and for the present one', async () => {
    await addUser(nines, 'bob', 'viewer')
    expect((await request('BOB@example.com')).status).toBe(409)
    expect((await request('ada@example.com')).status).toBe(400)
    expect([await pending(), await mailed()]).toEqual([null, {}])
  })

  test('after three within an hour', async () => {
    for (let at = 0; at < 3; at += 1) expect((await request(`new${at}@example.com`)).status).toBe(200)
    const { status, headers } = await request('new3@example.com')
    expect([status, headers.get('retry-after')]).toEqual([429, '3600'])
    nines.clock.advance(hour)
    expect((await request('new3@example.com')).status).toBe(200)
  })

  test('by an account with a second factor whose sign-in is older than 15 minutes', async () => {
    const factor = await setUpFactor(nines)
    nines.clock.advance(15 * 60_000 + 1)
    const { status, body } = await request('new@example.com')
    expect([status, body.code, codeNow(nines, factor).length]).toEqual([403, 'sign_in_again', 6])
    expect(await pending()).toBeNull()
  })

  test('by an account that has no password', async () => {
    await nines.app.db.write.updateTable('users').set({ password_hash: '' }).execute()
    expect((await request('new@example.com')).status).toBe(409)
  })
})

test('an address that got an account in the meantime stays there', async () => {
  await request('bob@example.com')
  const token = tokenIn((await mailed())['bob@example.com'])
  await addUser(nines, 'bob', 'viewer')
  expect((await confirm(token)).status).toBe(409)
  expect((await own()).email).toBe('ada@example.com')
})

test('an address that an account has not confirmed is taken from it', async () => {
  const eve = await nines.join('eve')
  await mailed()
  expect((await request('eve@example.com')).status).toBe(200)
  expect(await isGood(nines, eve)).toBe(true)
  await confirm(tokenIn((await mailed())['eve@example.com']))
  expect(await isGood(nines, eve)).toBe(false)
  expect((await login(nines, 'eve')).body.user.id).toBe(1)
})

test('without a mail server the address changes at once', async () => {
  await nines.close()
  nines = await joinedApp()
  expect((await request('new@example.com')).body).toEqual({
    email: 'new@example.com',
    email_confirmed: true,
    pending: null,
  })
  expect([await loginAs('new@example.com'), await loginAs('ada@example.com')]).toEqual([200, 401])
})
