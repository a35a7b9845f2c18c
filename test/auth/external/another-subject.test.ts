import { afterEach, expect, test } from 'bun:test'
import { oidcWorld, type OidcWorld } from '../../support/oidc-world.ts'
import { ada } from '../../support/test-provider.ts'

let nines: OidcWorld
afterEach(() => nines.close())

const grace = { ...ada, sub: 'grace', email: 'grace@example.com', name: 'Grace Hopper', groups: ['sre'] }

test('an account that is linked is closed to another subject with the address, which is free once the account is removed', async () => {
  nines = await oidcWorld()
  const namesake = { ...grace, sub: 'another-grace' }
  await nines.signIn(ada)
  await nines.signIn(grace)
  const page = await nines.signIn(namesake)
  expect([page.status, page.cookies]).toEqual([403, []])
  expect(page.text).toContain('ask an administrator of nines to remove that account')
  expect(nines.logged.join('')).toContain('the account with the address is linked to another subject of the issuer')
  const subjects = nines.app.db.read.selectFrom('external_identities').select('subject').orderBy('user_id')
  expect(await subjects.execute()).toEqual([{ subject: ada.sub }, { subject: grace.sub }])
  await nines.signIn(ada)
  const { access_token: token } = (await nines.refresh()).body
  expect((await nines.call('DELETE', '/api/v1/organization/users/2', undefined, { token })).status).toBe(200)
  expect((await nines.signIn(namesake)).status).toBe(303)
  expect((await nines.refresh()).body.user).toMatchObject({ id: 3, email: grace.email })
})

test('an account that is linked to a subject of another issuer is linked to this one too', async () => {
  nines = await oidcWorld()
  await nines.join('ada')
  const earlier = { issuer: 'https://former.example', subject: ada.sub, user_id: 1, created_at: 0, signed_in_at: 0 }
  await nines.app.db.write.insertInto('external_identities').values(earlier).execute()
  expect((await nines.signIn(ada)).status).toBe(303)
  expect(await nines.app.db.read.selectFrom('users').selectAll().execute()).toHaveLength(1)
})
