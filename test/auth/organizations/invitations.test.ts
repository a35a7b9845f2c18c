import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { accept, storedRows, invited, lastAudit, type People, type Person } from '../../support/people.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/organization/invitations'
const week = 7 * 86_400_000

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp({ env: { PUBLIC_URL: 'https://nines.example/' } }))
})
afterEach(() => nines.close())

const invite = (email: unknown, more: object = {}, by: Person = who.admin) =>
  nines.call('POST', path, { email, ...more }, by)
const list = async (by: Person = who.admin) => (await nines.call('GET', path, undefined, by)).body
const revoke = (id: number, by: Person = who.admin) => nines.call('DELETE', `${path}/${id}`, undefined, by)
const refused = { success: false, error: 'Invitation not valid' }

describe('an invitation', () => {
  test('has its link in one response only, and is stored as a hash', async () => {
    const { status, body, headers } = await invite('Eve@Example.com')
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        email: 'Eve@Example.com',
        role: 'member',
        expires_at: new Date(testStartMs + week).toISOString(),
        created_at: new Date(testStartMs).toISOString(),
        token: expect.stringMatching(/^[\w-]{43}$/),
        link: `https://nines.example/register?invitation_token=${body.token}&email=Eve%40Example.com`,
        mailed: false,
      },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(JSON.stringify(await storedRows(nines))).not.toContain(body.token)
    expect(nines.logged.join('')).not.toContain(body.token)
    const details = { invitation_id: body.id, invited_email: 'Eve@Example.com', role: 'member' }
    expect(await lastAudit(nines)).toEqual({ event: 'invitation_created', user_id: 1, organization_id: 1, details })
  })

  test('is listed without its token while it is open', async () => {
    const { body } = await invite('eve@example.com', { role: 'viewer' })
    const { token: _, link: __, mailed: ___, ...shown } = body
    expect(await list()).toEqual({
      invitations: [{ ...shown, invited_by: who.admin.id, invited_by_name: 'admin' }],
      total: 1,
      page: 1,
      page_size: 10,
      has_next: false,
    })
    expect(await list(who.stranger)).toMatchObject({ invitations: [], total: 0 })
    nines.clock.advance(3_600_000)
    await invite('kim@example.com')
    const emails = async () => (await list()).invitations.map(({ email }: { email: string }) => email)
    expect(await emails()).toEqual(['kim@example.com', 'eve@example.com'])
    await nines.app.db.write.updateTable('sessions').set({ expires_at: Number.MAX_SAFE_INTEGER }).execute()
    await nines.app.db.write
      .updateTable('invitations')
      .set({ expires_at: nines.clock.now() })
      .where('email', '=', 'eve@example.com')
      .execute()
    expect(await emails()).toEqual(['kim@example.com'])
  })

  test('to a user of the organization is refused, in whatever case', async () => {
    const before = await storedRows(nines)
    const { status, body } = await invite('MEMBER@example.com')
    expect([status, body.error]).toEqual([409, 'Already a user of this organization'])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('to a user of another organization looks like any other, and cannot be accepted', async () => {
    const toUser = await invite(who.stranger.email)
    const toNobody = await invite('nobody@example.com')
    expect([toUser.status, Object.keys(toUser.body)]).toEqual([201, Object.keys(toNobody.body)])
    const before = await storedRows(nines)
    const { status, body } = await accept(nines, who.stranger.email, toUser.body.token)
    expect([status, body]).toEqual([
      409,
      {
        success: false,
        error: 'E-mail already registered',
        details: expect.stringContaining('reset its password by mail'),
        problems: [expect.objectContaining({ field: 'email', code: 'in_use' })],
      },
    ])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('replaces the open one to the same address', async () => {
    const first = await invite('eve@example.com', { role: 'admin' })
    const second = await invite('EVE@example.com', { role: 'viewer' })
    expect(await list()).toMatchObject({ invitations: [{ id: second.body.id, role: 'viewer' }], total: 1 })
    expect((await accept(nines, 'eve@example.com', first.body.token)).body).toMatchObject(refused)
    expect((await accept(nines, 'eve@example.com', second.body.token)).body.user.role).toBe('viewer')
  })

  test('may come from several organizations, each for itself', async () => {
    const ours = await invite('eve@example.com')
    await invite('eve@example.com', {}, who.stranger)
    expect((await list()).total).toBe(1)
    expect((await accept(nines, 'eve@example.com', ours.body.token)).body.user.organization_id).toBe(1)
  })

  test.each(['member', 'viewer'] as const)('is no business of a %s', async (role) => {
    const { body } = await invite('eve@example.com')
    const before = await storedRows(nines)
    const answers = [
      await invite('kim@example.com', {}, who[role]),
      await invite('no address', {}, who[role]),
      await nines.call('GET', path, undefined, who[role]),
      await nines.call('GET', `${path}?page=x`, undefined, who[role]),
      await revoke(body.id, who[role]),
      await revoke(999_999, who[role]),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each([
    ['no address', { email: undefined }, 'email: is required: an e-mail address'],
    ['a line break', { email: 'eve@example.com\r\nBcc: all@example.com' }, 'email: must be an e-mail address'],
    ['two addresses', { email: 'eve@example.com,kim@example.com' }, 'email: must be an e-mail address'],
    ['an unknown role', { email: 'eve@example.com', role: 'owner' }, 'role: must be one of viewer, member, admin'],
  ])('refuses %s', async (_, sent, details) => {
    const before = await storedRows(nines)
    const { status, body } = await nines.call('POST', path, sent)
    expect([status, rulesOf(body)]).toEqual([400, details])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('takes nothing but address and role from a body', async () => {
    const more = { id: 77, organization_id: 2, token: 'mine', hash: 'mine', invited_by: 4, expires_at: '2999-01-01' }
    await invite('eve@example.com', more)
    const row = await nines.app.db.read
      .selectFrom('invitations')
      .selectAll()
      .where('email', '=', 'eve@example.com')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ organization_id: 1, invited_by: who.admin.id, expires_at: testStartMs + week })
    expect(row.id).not.toBe(77)
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('of another organization cannot be revoked, just as one that does not exist', async () => {
    const { body } = await invite('eve@example.com')
    const before = await storedRows(nines)
    const theirs = await revoke(body.id, who.stranger)
    expect([theirs.status, theirs.text]).toEqual([404, (await revoke(999_999, who.stranger)).text])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('that is revoked is deleted, which is in the audit log', async () => {
    const { body } = await invite('eve@example.com')
    expect((await revoke(body.id)).body).toEqual({ message: 'Invitation revoked' })
    expect(await lastAudit(nines)).toMatchObject({ event: 'invitation_revoked', details: { invitation_id: body.id } })
    expect((await list()).total).toBe(0)
    expect((await revoke(body.id)).status).toBe(404)
  })

  test.each([
    ['demoted', (id: number) => nines.call('PUT', `/api/v1/organization/users/${id}`, { role: 'member' })],
    ['removed', (id: number) => nines.call('DELETE', `/api/v1/organization/users/${id}`)],
  ])('dies when its sender is %s', async (_, end) => {
    const other = await invited(nines, who.admin, 'other', 'admin')
    const theirs = await invite('eve@example.com', {}, other)
    const ours = await invite('kim@example.com')
    await end(other.id)
    expect(await lastAudit(nines)).toMatchObject({ details: { invitations_withdrawn: 1 } })
    expect((await accept(nines, 'eve@example.com', theirs.body.token)).body).toMatchObject(refused)
    expect((await accept(nines, 'kim@example.com', ours.body.token)).status).toBe(201)
  })
})
