import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isGood, login } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'

let nines: TestApp
let box: MailServer
beforeAll(async () => {
  box = await startMailServer({ isOpen: true })
  nines = await testApp({ env: { SMTP_URL: box.url, REGISTRATION: 'invite', PUBLIC_URL: 'https://nines.example' } })
  await nines.join('ada')
})
afterAll(async () => {
  await nines.close()
  await box.close()
})

const get = (path: string) => nines.call('GET', path, undefined, { token: null })
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  nines.call('POST', path, new URLSearchParams(fields).toString(), {
    token: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

async function linkMailed(path: string): Promise<URL> {
  await nines.app.mailer.drain()
  const found = box.mails.map(({ text }) => new RegExp(`https://nines\\.example/${path}\\?\\S+`).exec(text)?.[0])
  return new URL(found.findLast((link) => link !== undefined) ?? '')
}

async function invite(email: string): Promise<URL> {
  await nines.call('POST', '/api/v1/organization/invitations', { email, role: 'viewer' })
  return linkMailed('register')
}

describe('the link of an invitation', () => {
  test('leads to a form that makes the account', async () => {
    const { pathname, search, searchParams } = await invite('eve@example.com')
    const { status, text, headers } = await get(`${pathname}${search}&utm_source=mail`)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    const invitation_token = searchParams.get('invitation_token') ?? ''
    expect(text).toContain(`<input type="hidden" name="invitation_token" value="${invitation_token}">`)
    expect(text).not.toMatch(/<script|style=|\son\w+=/)

    const fields = { invitation_token, email: 'eve@example.com', name: 'Eve', password: 'correct horse' }
    const done = await send('/register', fields)
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('The account is made')])
    expect((await login(nines, 'eve')).body.user).toMatchObject({ name: 'Eve', role: 'viewer', email_confirmed: true })
    const again = await send('/register', fields)
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('Invitation not valid')])
  })

  test('says what is wrong, all at once, and keeps what was filled in but the password', async () => {
    const fields = { invitation_token: 'x', email: 'no address', name: '<b>Eve</b>', password: 'short' }
    const { status, text } = await send('/register', fields)
    expect(status).toBe(400)
    expect(text).toContain('email: must be an e-mail address; password: must be a password of 8 to 256 characters')
    expect(text).toContain('value="&lt;b&gt;Eve&lt;/b&gt;"')
    expect(text).toContain('name="invitation_token" value="x"')
    expect(text).not.toContain('short')
  })

  test('is a form that no other site may send', async () => {
    const { searchParams } = await invite('dan@example.com')
    const invitation_token = searchParams.get('invitation_token') ?? ''
    const fields = { invitation_token, email: 'dan@example.com', name: 'Dan', password: 'correct horse' }
    expect((await send('/register', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(400)
    expect((await login(nines, 'dan')).status).toBe(401)
  })
})

test('without an invitation the form makes no account that the API would not make', async () => {
  expect((await get('/register')).text).toContain('name="setup_token"')
  const { status, text } = await send('/register', { email: 'x@example.com', name: 'X', password: 'correct horse' })
  expect([status, text]).toEqual([403, expect.stringContaining('Registration is not open')])
})

test('the link of a password reset leads to a form that sets the password, once', async () => {
  await nines.call('POST', '/api/v1/auth/password-reset-request', { email: 'ada@example.com' })
  const { pathname, search, searchParams } = await linkMailed('reset-password')
  const token = searchParams.get('token') ?? ''
  expect((await get(`${pathname}${search}`)).text).toContain(`name="token" value="${token}"`)
  const before = (await login(nines, 'ada')).body.access_token
  expect((await send('/reset-password', { token, new_password: 'short' })).status).toBe(400)
  expect(await isGood(nines, before)).toBe(true)
  expect((await send('/reset-password', { token, new_password: 'another horse' })).text).toContain(
    'The password is changed',
  )
  expect(await isGood(nines, before)).toBe(false)
  expect((await login(nines, 'ada', 'another horse')).status).toBe(200)
  expect((await send('/reset-password', { token, new_password: 'third horse' })).status).toBe(401)
})

test('the link that confirms an address is no confirmation by itself', async () => {
  const open = await testApp({ env: { SMTP_URL: box.url, PUBLIC_URL: 'https://nines.example' } })
  await open.join('first')
  const token = await open.join('bob')
  await open.app.mailer.drain()
  const { pathname, search, searchParams } = await linkMailed('confirm-email')
  const me = async () => (await open.call('GET', '/api/v1/auth/me', undefined, { token })).body.email_confirmed
  expect((await open.call('GET', `${pathname}${search}`, undefined, { token: null })).status).toBe(200)
  expect(await me()).toBe(false)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ token: searchParams.get('token') ?? '' }).toString()
  const confirm = () => open.call('POST', '/confirm-email', body, { token: null, headers: type })
  expect([(await confirm()).status, await me(), (await confirm()).status]).toEqual([200, true, 401])
  await open.close()
})

test.each(['/register?invitation_token=', '/reset-password?token=', '/confirm-email?token='])(
  'nothing in the address of %s becomes part of the page',
  async (path) => {
    const { status, text } = await get(`${path}${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(status).toBe(200)
    expect(text).not.toContain('<script')
  },
)
