import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { challengeOf, codeNow, secondStep, setUpFactor } from '../../support/second-factor.ts'

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

async function changes() {
  const factor = await setUpFactor(nines)
  const [recovery_code] = factor.recoveryCodes
  await secondStep(nines, await challengeOf(nines), { recovery_code })
  const password = 'correct horse'
  const path = '/api/v1/auth/second-factor'
  await nines.call('POST', `${path}/recovery-codes`, { password, code: codeNow(nines, factor) })
  nines.clock.advance(30_000)
  const { status } = await nines.call('POST', `${path}/disable`, { password, code: codeNow(nines, factor) })
  expect(status).toBe(200)
  await nines.app.mailer.drain()
  return factor
}

test('each change of a second factor, and each use of a recovery code, mails its owner, without a secret', async () => {
  await setConfirmed(nines.clock.now())
  const { secret, recoveryCodes } = await changes()
  expect(post.mails.map(({ to }) => to)).toEqual(Array.from({ length: 4 }, () => ['ada@example.com']))
  const texts = post.mails.map(({ text }) => text)
  expect(
    texts.map((text) => /was given|recovery code,|new recovery codes|no second factor/.exec(text)?.[0]).toSorted(),
  ).toEqual(['new recovery codes', 'no second factor', 'recovery code,', 'was given'])
  for (const shown of [secret, ...recoveryCodes]) expect(texts.join()).not.toContain(shown)
})

test('an address that is not confirmed gets no mail', async () => {
  await setConfirmed(null)
  await changes()
  expect(post.mails).toEqual([])
})
