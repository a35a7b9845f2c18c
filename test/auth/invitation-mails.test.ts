import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { storedRows } from '../support/people.ts'
import { headerNames, type MailServer, startMailServer } from '../support/mail-server.ts'

const path = '/api/v1/organization/invitations'

let nines: TestApp
let box: MailServer
beforeEach(async () => {
  box = await startMailServer()
  nines = await testApp({
    env: { SMTP_URL: box.url, PUBLIC_URL: 'https://nines.example', MAIL_FROM: 'nines@x.example' },
  })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  await box.close()
})

async function invite(email: string) {
  const { body } = await nines.call('POST', path, { email })
  await nines.app.mailer.drain()
  return body
}
const usual = [
  'content-transfer-encoding',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
]

describe('the mail of an invitation', () => {
  test('carries the link to the invited address alone', async () => {
    const { mailed, token } = await invite('eve@example.com')
    expect(mailed).toBe(true)
    expect(box.mails).toHaveLength(1)
    const [mail] = box.mails
    expect(mail?.to).toEqual(['eve@example.com'])
    expect(mail?.header.split('\r\n')).toContain('Subject: Invitation to ada Inc on nines')
    expect(mail?.text).toMatch(
      /^https:\/\/nines\.example\/register\?invitation_token=[\w-]{43}&email=eve%40example\.com\r$/m,
    )
    expect(mail?.text).not.toContain(token) // the inviter already has it
  })

  test('is not sent for a refused invitation', async () => {
    await nines.call('POST', path, { email: 'ada@example.com' })
    await nines.call('POST', path, { email: 'eve@example.com\r\nBcc: all@example.com' })
    await nines.app.mailer.drain()
    expect(box.mails).toEqual([])
  })

  test('is not sent while registration is closed, and nobody is invited', async () => {
    const closed = await testApp({ env: { SMTP_URL: box.url, REGISTRATION: 'closed' } })
    await closed.join('ada')
    const before = await storedRows(closed)
    const { status, body } = await closed.call('POST', path, { email: 'eve@example.com' })
    expect([status, body]).toEqual([
      403,
      {
        success: false,
        error: 'Registration is closed',
        details: expect.stringContaining('REGISTRATION=closed: nobody could accept an invitation'),
      },
    ])
    await closed.app.mailer.drain()
    expect([box.mails, await storedRows(closed)]).toEqual([[], before])
    await closed.close()
  })

  test.each([
    'Nice <evil@example.com>, "quoted" & more',
    'Bcc: all@example.com',
    '=?utf-8?Q?=0D=0ABcc:=20all@example.com?=',
    'Größe \u{1f389} %0d%0aBcc: all@example.com',
    `${'long name '.repeat(19)}end`,
  ])('has no header more with the names %p', async (name) => {
    await nines.call('PUT', '/api/v1/organization', { name })
    await nines.app.db.write.updateTable('users').set({ name }).execute()
    nines.app.tokens.invalidate(() => true)
    await invite("o'eve+tag@example.com")
    const [mail] = box.mails
    expect(mail?.to).toEqual(["o'eve+tag@example.com"])
    expect(mail && headerNames(mail).toSorted()).toEqual(usual)
  })

  test('has no header more even if a line break had come into the database', async () => {
    const name = 'Nice\r\nBcc: all@example.com\r\n\r\nForged body'
    await nines.app.db.write.updateTable('organizations').set({ name }).execute()
    await nines.app.db.write.updateTable('users').set({ name }).execute()
    nines.app.tokens.invalidate(() => true)
    await invite('eve@example.com')
    const [mail] = box.mails
    expect(mail?.to).toEqual(['eve@example.com'])
    expect(mail && headerNames(mail).toSorted()).toEqual(usual)
  })

  test('that cannot be sent leaves the invitation good, and no token in the log', async () => {
    await box.close()
    const { token, mailed } = await invite('eve@example.com')
    expect(mailed).toBe(true)
    expect(nines.logged.join('')).toContain('mail not sent')
    expect(nines.logged.join('')).not.toContain(token)
    const answer = await nines.call(
      'POST',
      '/api/v1/auth/register',
      { email: 'eve@example.com', name: 'Eve', password: 'correct horse', invitation_token: token },
      { token: null },
    )
    expect(answer.status).toBe(201)
  })
})
