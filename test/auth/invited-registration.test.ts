import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { pruneInvitations } from '../../src/auth/expired-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { accept, newOrganizationUser, storedRows, type Person } from '../support/people.ts'
import { rulesOf } from '../support/rules-of.ts'

const path = '/api/v1/organization/invitations'

let nines: TestApp
let admin: Person
beforeEach(async () => {
  nines = await testApp({ env: { REGISTRATION: 'invite' } })
  admin = await newOrganizationUser(nines, 'admin')
})
afterEach(() => nines.close())

const invite = async (email: string, role = 'member') =>
  (await nines.call('POST', path, { email, role }, { token: admin.token })).body

describe('registering with an invitation', () => {
  test.each(['admin', 'member', 'viewer'])('joins its organization as %s, and makes none', async (role) => {
    const { id, token } = await invite('eve@example.com', role)
    const { status, body } = await accept(nines, 'EVE@Example.com', token)
    expect([status, body.user]).toMatchObject([201, { email: 'EVE@Example.com', organization_id: 1, role }])
    const organization = await nines.call('GET', '/api/v1/organization', undefined, { token: body.access_token })
    expect(organization.body).toMatchObject({ name: 'admin Inc', users: 2, role })
    expect(await nines.app.db.read.selectFrom('organizations').selectAll().execute()).toHaveLength(1)
    expect(await nines.app.db.read.selectFrom('teams').selectAll().execute()).toHaveLength(1)
    const audit = await nines.app.db.read
      .selectFrom('audit_log')
      .selectAll()
      .where('event', '=', 'account_created')
      .execute()
    expect(audit.at(-1)).toMatchObject({ user_id: body.user.id, organization_id: 1 })
    expect(JSON.parse(audit.at(-1)?.details ?? '')).toEqual({ role, invitation_id: id })
  })

  test('takes role and organization from the invitation, not from the body', async () => {
    const { token } = await invite('eve@example.com', 'viewer')
    const more = { role: 'admin', organization_id: 7, id: 99, user: { role: 'admin' } }
    const { body } = await accept(nines, 'eve@example.com', token, more)
    expect(body.user).toMatchObject({ id: 2, organization_id: 1, role: 'viewer' })
  })

  test('is for the invited address; anybody else leaves it open', async () => {
    const { token } = await invite('eve@example.com')
    const before = await storedRows(nines)
    const { status, body } = await accept(nines, 'mallory@example.com', token)
    expect([status, rulesOf(body)]).toEqual([400, 'email: must be the address that was invited'])
    expect(await storedRows(nines)).toEqual(before)
    expect((await accept(nines, 'eve@example.com', token)).status).toBe(201)
  })

  test('and an organization’s name is refused', async () => {
    const { token } = await invite('eve@example.com')
    const before = await storedRows(nines)
    const { status, body } = await accept(nines, 'eve@example.com', token, { organization_name: 'Mine' })
    expect([status, rulesOf(body)]).toEqual([400, 'organization_name: cannot be sent with invitation_token'])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('answers with one sentence to a token that is used, revoked, replaced, expired, unknown or empty', async () => {
    const used = await invite('used@example.com')
    await accept(nines, 'used@example.com', used.token)
    const revoked = await invite('revoked@example.com')
    await nines.call('DELETE', `${path}/${revoked.id}`)
    const replaced = await invite('replaced@example.com')
    await invite('replaced@example.com')
    const expired = await invite('expired@example.com')
    nines.clock.advance(7 * 86_400_000)
    const before = await storedRows(nines)
    const texts = new Set<string>()
    for (const [email, token] of [
      ['used@example.com', used.token],
      ['other@example.com', used.token],
      ['revoked@example.com', revoked.token],
      ['replaced@example.com', replaced.token],
      ['expired@example.com', expired.token],
      ['unknown@example.com', 'A'.repeat(43)],
      ['empty@example.com', ''],
    ]) {
      const { status, text } = await accept(nines, String(email), token)
      expect(status).toBe(400)
      texts.add(text)
    }
    expect([...texts]).toEqual([expect.stringContaining('Invitation not valid')])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('is possible until the last millisecond', async () => {
    const { token } = await invite('eve@example.com')
    nines.clock.advance(7 * 86_400_000 - 1)
    expect((await accept(nines, 'eve@example.com', token)).status).toBe(201)
  })

  test.each([[7], [['x']], [{ a: 1 }], ['x'.repeat(201)]])('requires a token that is one: not %p', async (token) => {
    const { status, body } = await accept(nines, 'eve@example.com', token)
    expect([status, rulesOf(body)]).toEqual([400, 'invitation_token: must be the token of an invitation'])
  })

  test('several times at once makes one account', async () => {
    const { token } = await invite('eve@example.com')
    const answers = await Promise.all([1, 2, 3].map(() => accept(nines, 'eve@example.com', token)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
    const users = await nines.app.db.read.selectFrom('users').select('email_key').execute()
    expect(users.map(({ email_key }) => email_key)).toEqual(['admin@example.com', 'eve@example.com'])
  })

  test('while it is being revoked does one or the other', async () => {
    const { id, token } = await invite('eve@example.com')
    const [joined, revoked] = await Promise.all([
      accept(nines, 'eve@example.com', token),
      nines.call('DELETE', `${path}/${id}`),
    ])
    expect([`${joined.status} ${revoked.status}`]).toEqual([expect.stringMatching(/^(201 404|400 200)$/)])
  })
})

describe('registration that is not open', () => {
  test('by setting “invite” requires an invitation', async () => {
    const before = await storedRows(nines)
    const { status, body } = await accept(nines, 'eve@example.com', undefined)
    expect([status, rulesOf(body)]).toEqual([
      403,
      expect.stringMatching(/^invitation_token: an invitation is needed.* REGISTRATION=open /),
    ])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('by setting “closed” is closed to the invited too', async () => {
    const { id, token } = await invite('eve@example.com')
    await nines.app.close()
    const closed = await testApp({ env: { REGISTRATION: 'closed' }, dataDir: nines.dataDir, token: admin.token })
    expect((await closed.call('GET', path)).body.invitations).toMatchObject([{ id }])
    const before = await storedRows(closed)
    const answer = await accept(closed, 'eve@example.com', token)
    expect([answer.status, answer.body.details]).toEqual([403, expect.stringMatching(/^REGISTRATION=closed: /)])
    expect(await storedRows(closed)).toEqual(before)
    await closed.close()
  })
})

test('an invitation is forgotten 30 days after it has expired, accepted or not, and not before', async () => {
  const { db, clock } = nines.app
  await accept(nines, 'eve@example.com', (await invite('eve@example.com')).token)
  await invite('kim@example.com')
  nines.clock.advance((7 + 30) * 86_400_000 - 1)
  expect(await pruneInvitations(db.write, clock.now(), 100)).toBe(0)
  nines.clock.advance(1)
  expect(await pruneInvitations(db.write, clock.now(), 100)).toBe(2)
})
