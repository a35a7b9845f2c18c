import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { closeAll } from '../../support/closing.ts'
import type { ReceivedMail } from '../../support/mail-server.ts'
import { type MailedApp, mailedApp } from '../../support/mailed-app.ts'
import { challengeOf, codeNow, secondStep, setUpFactor } from '../../support/second-factor.ts'

let nines: TestApp
let mails: ReceivedMail[]
let setConfirmed: MailedApp['setConfirmed']
beforeEach(async () => {
  ;({ nines, mails, setConfirmed } = await mailedApp())
})
afterEach(closeAll)

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
  expect(mails.map(({ to }) => to)).toEqual(Array.from({ length: 4 }, () => ['ada@example.com']))
  const texts = mails.map(({ text }) => text)
  expect(
    texts.map((text) => /was given|recovery code,|new recovery codes|no second factor/.exec(text)?.[0]).toSorted(),
  ).toEqual(['new recovery codes', 'no second factor', 'recovery code,', 'was given'])
  for (const shown of [secret, ...recoveryCodes]) expect(texts.join()).not.toContain(shown)
})

test('an address that is not confirmed gets no mail', async () => {
  await setConfirmed(null)
  await changes()
  expect(mails).toEqual([])
})
