import { afterEach, beforeEach, expect, test } from 'bun:test'
import { login } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { closeAll } from '../../support/closing.ts'
import type { ReceivedMail } from '../../support/mail-server.ts'
import { type MailedApp, mailedApp } from '../../support/mailed-app.ts'

let nines: TestApp
let mails: ReceivedMail[]
let setConfirmed: MailedApp['setConfirmed']
beforeEach(async () => {
  ;({ nines, mails, setConfirmed } = await mailedApp())
})
afterEach(closeAll)

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
  expect(mails).toMatchObject([{ to: ['ada@example.com'] }])
  expect(mails[0]?.text).toContain('was used a second time')
})

test('an address that is not confirmed gets no mail', async () => {
  await setConfirmed(null)
  expect(await replay()).toEqual([200, 401, 401])
  expect(mails).toEqual([])
})
