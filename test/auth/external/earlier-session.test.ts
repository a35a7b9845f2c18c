import { afterEach, describe, expect, test } from 'bun:test'
import { audited, isGood, usualPassword } from '../../support/accounts.ts'
import { oidcWorld, type OidcWorld } from '../../support/oidc-world.ts'
import { ada } from '../../support/test-provider.ts'

let nines: OidcWorld
afterEach(() => nines.close())

const sessions = () => nines.app.db.read.selectFrom('sessions').selectAll().execute()

describe('a sign-in by the provider in a browser with a session', () => {
  const refreshed = async (): Promise<string> => (await nines.refresh()).body.access_token

  test('ends the session that the browser had before, and no other', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    const elsewhere = await refreshed()
    nines.forget()
    await nines.signIn(ada)
    const before = await refreshed()
    await nines.signIn(ada)
    expect(await isGood(nines, before)).toBe(true) // until the page is back
    const after = await refreshed()
    const areGood = [before, after, elsewhere].map(async (token) => isGood(nines, token))
    expect(await Promise.all(areGood)).toEqual([false, true, true])
    expect(await isGood(nines, await refreshed())).toBe(true)
    expect(await sessions()).toHaveLength(2)
    expect(await audited(nines, 'session_ended')).toEqual(['ada@example.com success'])
  })

  test('that fails ends nothing', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    const before = await refreshed()
    const callback = await nines.toCallback()
    callback.searchParams.set('state', 'another')
    expect((await nines.open(callback)).status).toBe(403)
    expect(await isGood(nines, await refreshed())).toBe(true)
    expect(await isGood(nines, before)).toBe(true)
  })

  test('gives way to a later sign-in by password', async () => {
    nines = await oidcWorld({ REGISTRATION: 'open' })
    await nines.signIn(ada)
    await nines.join('bob')
    nines.clock.advance(1000)
    expect((await nines.logIn('bob@example.com', usualPassword)).status).toBe(200)
    expect((await nines.refresh()).body.user.email).toBe('bob@example.com')
  })
})
