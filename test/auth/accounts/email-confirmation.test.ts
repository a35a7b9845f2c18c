import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { listConfirmedEmails, setAllEmailsConfirmed } from '../../../src/auth/accounts/mailed-token-store.ts'
import { audited, isGood, login } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { accept } from '../../support/people.ts'

const day = 86_400_000

let box: MailServer
beforeAll(async () => {
  box = await startMailServer()
})
afterAll(() => box.close())

let nines: TestApp
beforeEach(async () => {
  box.mails.length = 0
  const env = { SMTP_URL: box.url, PUBLIC_URL: 'https://nines.example', NEW_DEVICE_MAIL: 'false' }
  nines = await joinedApp({ env })
})
afterEach(() => nines.close())

const post = (path: string, body: object, token: string | null = null) =>
  nines.call('POST', `/api/v1/${path}`, body, { token })
const confirm = (token: unknown) => post('auth/confirm-email', { token })
const resend = (email: string) => post('auth/confirm-email/resend', { email })
const invite = (email: string, token: string) => post('organization/invitations', { email, role: 'member' }, token)
const isConfirmed = async (token: string) =>
  (await nines.call('GET', '/api/v1/auth/me', undefined, { token })).body.email_confirmed

/** Text of the newest mail after `before`. */
async function mailed(before: string): Promise<string> {
  await nines.app.mailer.drain()
  const [, token = 'no mail'] = (box.mails.at(-1)?.text ?? '').split(before)
  return /^[\w-]+/.exec(token)?.[0] ?? token
}
const confirmation = () => mailed('https://nines.example/confirm-email?token=')
const invitation = () => mailed('https://nines.example/register?invitation_token=')
const reset = () => mailed('https://nines.example/reset-password?token=')

describe('with SMTP_URL set', () => {
  test('the first account counts at once, and others once they have confirmed', async () => {
    await nines.app.mailer.drain()
    expect(box.mails).toEqual([])
    expect((await login(nines, 'ada')).body.user.email_confirmed).toBe(true)

    const eve = await nines.join('eve')
    const token = await confirmation()
    expect(box.mails).toMatchObject([{ to: ['eve@example.com'] }])
    expect([await isConfirmed(eve), await listConfirmedEmails(nines.app.db.read, 2)]).toEqual([false, []])
    const { status, body } = await confirm(` ${token} `)
    expect([status, body]).toEqual([200, { message: 'E-mail address confirmed' }])
    expect([await isConfirmed(eve), await listConfirmedEmails(nines.app.db.read, 2)]).toEqual([
      true,
      ['eve@example.com'],
    ])
    expect(await audited(nines, 'email_confirmed')).toEqual(['eve@example.com success'])
    const users = await nines.call('GET', '/api/v1/organization/users', undefined, { token: eve })
    expect(users.body.users).toMatchObject([{ email: 'eve@example.com', email_confirmed: true }])
  })

  test('until then one can work in the own organization, and not invite', async () => {
    const eve = await nines.join('eve')
    const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
    expect((await post('slos', slo, eve)).status).toBe(201)
    expect((await login(nines, 'eve')).status).toBe(200)
    expect((await invite('bob@example.com', eve)).body).toEqual({
      success: false,
      error: 'E-mail address not confirmed',
      details: 'confirm your own address first: POST /auth/confirm-email/resend mails the link again',
    })
    await confirm(await confirmation())
    expect((await invite('bob@example.com', eve)).status).toBe(201)
  })

  test('a confirmation is good once, and for seven days', async () => {
    const refused = {
      success: false,
      error: 'Invalid confirmation token',
      details: 'token: must be one that was mailed in the last seven days and has not been used',
      problems: [expect.objectContaining({ field: 'token', code: 'unknown' })],
    }
    await nines.join('eve')
    const first = await confirmation()
    nines.clock.advance(7 * day)
    const late = await confirm(first)
    expect([late.status, late.body]).toEqual([401, refused])
    await resend('EVE@example.com')
    const second = await confirmation()
    expect((await confirm(second)).status).toBe(200)
    expect((await confirm(second)).body).toEqual(refused)
    expect((await confirm('x'.repeat(43))).body).toEqual(refused)
    const stored = await nines.app.db.read.selectFrom('email_confirmations').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(second)
  })

  test('sending it again has the same answer for any address, leaves the same row, and mails three times an hour at most', async () => {
    await nines.join('eve')
    const rows = async () => (await nines.app.db.read.selectFrom('email_confirmations').selectAll().execute()).length
    const before = await rows()
    const emails = ['eve@example.com', 'ada@example.com', 'nobody@example.com', 'no address']
    const answers = []
    for (const email of emails) for (let n = 0; n < 4; n += 1) answers.push((await resend(email)).text)
    expect(new Set(answers).size).toBe(1)
    expect(await rows()).toBe(before + 16)
    await nines.app.mailer.drain()
    expect(box.mails.map(({ to }) => to.join())).toEqual(Array(3).fill('eve@example.com'))
  })
})

describe('an account whose address was never confirmed does not keep it from its owner:', () => {
  let squatter: string
  let machine: string
  beforeEach(async () => {
    squatter = await nines.join('eve')
    machine = (await post('auth/tokens', { name: 'ci', role: 'admin' }, squatter)).body.token
    expect(await isGood(nines, machine)).toBe(true)
  })

  test('a reset by mail takes the account over and confirms it', async () => {
    await post('auth/password-reset-request', { email: 'eve@example.com' })
    expect((await post('auth/password-reset-confirm', { token: await reset(), new_password: 'my horse' })).status).toBe(
      200,
    )
    expect([await isGood(nines, squatter), await isGood(nines, machine)]).toEqual([false, false])
    expect((await login(nines, 'eve')).status).toBe(401)
    expect((await login(nines, 'eve', 'my horse')).body.user).toMatchObject({ id: 2, email_confirmed: true })
    expect(await audited(nines, 'email_confirmed')).toEqual(['eve@example.com success'])
  })

  test('a mailed invitation is accepted, and the account goes on without the address and without a way in', async () => {
    const { body: answered } = await invite('eve@example.com', (await login(nines, 'ada')).body.access_token)
    const shown = await accept(nines, 'eve@example.com', answered.token)
    expect([shown.status, shown.body.error]).toEqual([409, 'E-mail already registered'])
    const { status, body } = await accept(nines, 'eve@example.com', await invitation())
    expect([status, body.user]).toMatchObject([201, { organization_id: 1, email_confirmed: true }])
    expect([await isGood(nines, squatter), await isGood(nines, machine)]).toEqual([false, false])
    expect((await login(nines, 'eve')).body.user.organization_id).toBe(1)
    const left = nines.app.db.read.selectFrom('users').select(['email', 'organization_id']).where('id', '=', 2)
    expect(await left.execute()).toEqual([{ email: 'released-2@unconfirmed.invalid', organization_id: 2 }])
    expect(await audited(nines, 'email_released')).toEqual(['eve@example.com success'])
  })

  test('once it is confirmed, nothing takes the address away', async () => {
    await confirm(await confirmation())
    await invite('eve@example.com', (await login(nines, 'ada')).body.access_token)
    expect((await accept(nines, 'eve@example.com', await invitation())).status).toBe(409)
    expect(await isGood(nines, squatter)).toBe(true)
  })
})

test('an invitation proves the address by the token that was mailed, not by the one its sender saw', async () => {
  const { body: sent } = await invite('eve@example.com', (await login(nines, 'ada')).body.access_token)
  const { body } = await accept(nines, 'eve@example.com', sent.token)
  expect(body.user).toMatchObject({ organization_id: 1, email_confirmed: false })
  expect(await listConfirmedEmails(nines.app.db.read, 1)).toEqual(['ada@example.com'])
  expect((await confirm(await confirmation())).status).toBe(200)
  expect(await listConfirmedEmails(nines.app.db.read, 1)).toEqual(['ada@example.com', 'eve@example.com'])
})

test('without SMTP_URL every address counts', async () => {
  const plain = await joinedApp()
  const { body } = await plain.call('GET', '/api/v1/auth/me', undefined, { token: await plain.join('eve') })
  expect(body.email_confirmed).toBe(true)
  await plain.app.db.write.updateTable('users').set({ email_confirmed_at: null }).execute()
  await setAllEmailsConfirmed(plain.app.db.write, plain.clock.now()) // runs at each start
  expect(await listConfirmedEmails(plain.app.db.read, 2)).toEqual(['eve@example.com'])
  await plain.close()
})
