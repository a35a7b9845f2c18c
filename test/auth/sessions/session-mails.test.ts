import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { login, usualPassword } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { closeAll } from '../../support/closing.ts'
import type { ReceivedMail } from '../../support/mail-server.ts'
import { type MailedApp, mailedApp } from '../../support/mailed-app.ts'
import { callback, question } from '../../support/oauth.ts'

let nines: TestApp
let mails: ReceivedMail[]
let setConfirmed: MailedApp['setConfirmed']
beforeEach(async () => {
  ;({ nines, mails, setConfirmed } = await mailedApp())
})
afterEach(closeAll)

const headers = (userAgent: string) => ({ token: null, headers: { 'user-agent': userAgent } })

/** Uses the first refresh token of a new session three times. */
async function replay(): Promise<number[]> {
  const { refresh_token } = (await login(nines, 'ada')).body
  await nines.app.mailer.drain()
  mails.length = 0
  const statuses: number[] = []
  for (let use = 0; use < 3; use += 1) {
    const { status } = await nines.call('POST', '/api/v1/auth/refresh', { refresh_token }, { token: null })
    statuses.push(status)
  }
  await nines.app.mailer.drain()
  return statuses
}

test('a refresh token that comes again mails the user once', async () => {
  await setConfirmed(nines.clock.now())
  expect(await replay()).toEqual([200, 401, 401])
  expect(mails).toMatchObject([{ to: ['ada@example.com'] }])
  expect(mails[0]?.text).toContain('was used a second time')
})

test('an address that is not confirmed gets no mail', async () => {
  await setConfirmed(null)
  expect(await replay()).toEqual([200, 401, 401])
  expect(mails).toEqual([])
})

describe('a sign-in from a new device', () => {
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
  const update = firefox.replaceAll('140', '141')
  const day = 86_400_000

  /** Signs in, and returns the devices that were mailed by then. */
  async function mailed(userAgent: string): Promise<(string | undefined)[]> {
    const body = { email: 'ada@example.com', password: usualPassword }
    const { status } = await nines.call('POST', '/api/v1/auth/login', body, headers(userAgent))
    expect(status).toBe(200)
    await nines.app.mailer.drain()
    return mails.map(({ text }) => /Device: +(.*)/.exec(text)?.[1])
  }

  test('is mailed once, with device, address and time', async () => {
    await setConfirmed(nines.clock.now())
    expect(await mailed(firefox)).toEqual(['Firefox on Windows'])
    expect(await mailed(update)).toEqual(['Firefox on Windows'])
    expect(await mailed('curl/8.14.1')).toEqual(['Firefox on Windows', 'curl'])
    const [mail] = mails
    expect(mail).toMatchObject({ to: ['ada@example.com'] })
    expect(mail?.text).toMatch(/Address: unknown\s+Time: +2026-11-21T10:00:00.000Z/)
    expect(mail?.text).toContain('https://nines.example/settings/security')
  })

  test('is mailed for the consent to an application too, once', async () => {
    await setConfirmed(nines.clock.now())
    const application = { name: 'Reporter', redirect_uris: [callback] }
    const { body: client } = await nines.call('POST', '/api/v1/oauth/clients', application)
    const base = nines.listen()
    const consent = async (password: string) => {
      const page = await (await fetch(`${base}/oauth/authorize?${question(client)}`)).text()
      const request = /name="request" value="([^"]*)"/.exec(page)?.[1] ?? ''
      const body = new URLSearchParams({ request, email: 'ada@example.com', password, decision: 'allow' })
      const answer = await fetch(`${base}/oauth/authorize`, {
        method: 'POST',
        body,
        headers: { 'user-agent': firefox },
        redirect: 'manual',
      })
      await nines.app.mailer.drain()
      return [answer.status, mails.length]
    }
    expect(await consent('wrong horse')).toEqual([401, 0])
    expect(await consent(usualPassword)).toEqual([303, 1])
    expect(mails[0]?.text).toContain('Firefox on Windows')
    expect(await consent(usualPassword)).toEqual([303, 1])
  })

  test('is mailed without a link in the name of a program', async () => {
    await setConfirmed(nines.clock.now())
    expect(await mailed('evil.example/1.0')).toEqual(['evil[.]example'])
  })

  test('is mailed again once the account was not used from there for 30 days', async () => {
    await setConfirmed(nines.clock.now())
    await mailed(firefox)
    nines.clock.advance(30 * day - 1)
    expect(await mailed(firefox)).toHaveLength(1)
    nines.clock.advance(30 * day)
    expect(await mailed(firefox)).toHaveLength(2)
  })

  test('is not mailed when the account is made, to an address that is not confirmed, and for a wrong password', async () => {
    const body = { email: 'eve@example.com', name: 'eve', password: usualPassword }
    await nines.call('POST', '/api/v1/auth/register', body, headers(firefox))
    await setConfirmed(null)
    const wrong = { email: 'ada@example.com', password: 'wrong horse' }
    await nines.call('POST', '/api/v1/auth/login', wrong, headers(firefox))
    expect(await mailed(firefox)).toEqual([])
  })

  test('is not mailed with NEW_DEVICE_MAIL=false', async () => {
    ;({ nines, mails, setConfirmed } = await mailedApp({ NEW_DEVICE_MAIL: 'false' }))
    await setConfirmed(nines.clock.now())
    await nines.app.mailer.drain()
    mails.length = 0
    expect(await mailed(firefox)).toEqual([])
  })
})
