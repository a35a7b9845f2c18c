import { afterEach, beforeEach, expect, test } from 'bun:test'
import { audited } from '../../support/accounts.ts'
import { type Client, type Fields, type OAuthWorld, oauthWorld, passwordOf } from '../../support/oauth.ts'
import { codeNow, type Factor, setUpFactor } from '../../support/second-factor.ts'

let nines: OAuthWorld
let client: Client
let factor: Factor
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client()
  factor = await setUpFactor(nines)
})
afterEach(() => nines.close())

const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1]
const signIn = async () =>
  nines.post('/oauth/authorize', { request: await nines.formToken(client), email: 'ada@example.com', ...passwordOf })
/** Sends the form of a page again, with these fields. */
const answer = ({ text }: { text: string }, fields: Fields) =>
  nines.post('/oauth/authorize', {
    request: hidden(text, 'request'),
    mfa_token: hidden(text, 'mfa_token'),
    email: hidden(text, 'email'),
    decision: 'allow',
    ...fields,
  })

test('the consent of an account with a second factor asks for a code after the password', async () => {
  const page = await signIn()
  expect([page.status, page.location]).toEqual([200, null])
  expect(page.text).toContain('autocomplete="one-time-code"')
  expect(page.text).not.toContain('type="password"')
  expect(await audited(nines, 'oauth_consent')).toEqual([])
  const done = await answer(page, { code: codeNow(nines, factor) })
  expect(done.status).toBe(303)
  const code = done.location?.searchParams.get('code') ?? ''
  expect((await nines.redeem(client, code)).status).toBe(200)
  expect(await audited(nines, 'login')).toEqual(['ada@example.com success'])
})

test('a recovery code does as well, once', async () => {
  const [code] = factor.recoveryCodes
  expect((await answer(await signIn(), { code })).status).toBe(303)
  expect((await answer(await signIn(), { code })).status).toBe(401)
})

test('a wrong code shows the field again, and the fifth the password', async () => {
  let page = await signIn()
  for (let tries = 0; tries < 5; tries += 1) {
    expect(hidden(page.text, 'mfa_token')).toMatch(/^[\w-]{43}$/)
    page = await answer(page, { code: '000000' })
    expect([page.status, page.text.includes('The code is wrong')]).toEqual([401, true])
  }
  expect([hidden(page.text, 'mfa_token'), page.text.includes('type="password"')]).toEqual([undefined, true])
})

test('a token of the second step that is unknown or late begins with the password again', async () => {
  const page = await signIn()
  const forged = await answer(page, { mfa_token: 'x'.repeat(43), code: codeNow(nines, factor) })
  expect([forged.status, forged.text.includes('The code came too late')]).toEqual([401, true])
  const late = await signIn()
  nines.clock.advance(300_000)
  expect((await answer(late, { code: codeNow(nines, factor) })).status).toBe(401)
})

test('a code is no consent without the token of the second step', async () => {
  const page = await signIn()
  const reply = await answer(page, { mfa_token: undefined, code: codeNow(nines, factor), password: '' })
  expect([reply.status, reply.location]).toEqual([401, null])
})

test('a member without a second factor consents to nothing where one is required', async () => {
  await nines.app.db.write.deleteFrom('second_factors').execute()
  await nines.app.db.write.updateTable('organizations').set({ second_factor_required: 1 }).execute()
  const { status, text } = await signIn()
  expect([status, text.includes('Set up a second factor first')]).toEqual([403, true])
})
