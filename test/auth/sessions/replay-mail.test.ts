import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { login } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'

let post: MailServer
beforeAll(async () => {
  post = await startMailServer()
})
afterAll(() => post.close())

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SMTP_URL: post.url, PUBLIC_URL: 'https://nines.example' } })
  await nines.join('ada')
  await nines.app.mailer.drain()
  post.mails.length = 0
})
afterEach(() => nines.close())

const setConfirmed = (email_confirmed_at: number | null) =>
  nines.app.db.write.updateTable('users').set({ email_confirmed_at }).execute()

/** Uses the first refresh token of a new session three times. */
async function replay(): Promise<number[]> {
  const { refresh_token } = (await login(nines, 'ada')).body
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
  expect(post.mails).toMatchObject([{ to: ['ada@example.com'] }])
  expect(post.mails[0]?.text).toContain('was used a second time')
})

test('an address that is not confirmed gets no mail', async () => {
  await setConfirmed(null)
  expect(await replay()).toEqual([200, 401, 401])
  expect(post.mails).toEqual([])
})
