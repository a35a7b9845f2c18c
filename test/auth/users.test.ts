import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { peopleApp } from '../support/reused-app.ts'
import { storedRows, invited, lastAudit, type People, type Person } from '../support/people.ts'
import { rulesOf } from '../support/rules-of.ts'

const path = '/api/v1/organization/users'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
})
afterEach(() => nines.close())

const setRole = (by: Person, id: number, role: unknown, more: object = {}) =>
  nines.call('PUT', `${path}/${id}`, { role, ...more }, by)
const remove = (by: Person, id: number) => nines.call('DELETE', `${path}/${id}`, undefined, by)
const read = (by: Person, id: number) => nines.call('GET', `${path}/${id}`, undefined, by)
const me = (person: Person) => nines.call('GET', '/api/v1/auth/me', undefined, person)
const admins = async () =>
  (
    await nines.app.db.read
      .selectFrom('users')
      .select('id')
      .where('organization_id', '=', 1)
      .where('role', '=', 'admin')
      .execute()
  ).map(({ id }) => id)
const lastAdmin = { error: 'The last administrator must stay' }

describe('the users of an organization', () => {
  test('are listed page by page to each of them, and nobody else', async () => {
    const page = async (by: Person, query = '') => {
      const { body } = await nines.call('GET', `${path}${query}`, undefined, by)
      return { ...body, users: body.users.map(({ name }: { name: string }) => name) }
    }
    const all = { users: ['admin', 'member', 'viewer'], total: 3, page: 1, page_size: 10, has_next: false }
    for (const role of ['admin', 'member', 'viewer'] as const) expect(await page(who[role])).toEqual(all)
    expect(await page(who.stranger)).toMatchObject({ users: ['stranger'], total: 1 })
    expect(await page(who.viewer, '?page_size=2')).toMatchObject({ users: ['admin', 'member'], has_next: true })
    expect(await page(who.viewer, '?page=2&page_size=2')).toMatchObject({
      users: ['viewer'],
      total: 3,
      has_next: false,
    })
  })

  test('are listed without anything secret', async () => {
    const { status, body } = await read(who.viewer, who.member.id)
    const created_at = new Date(nines.clock.now()).toISOString()
    const shown = { id: who.member.id, email: 'member@example.com', name: 'member', organization_id: 1, role: 'member' }
    expect([status, body]).toEqual([200, { ...shown, email_confirmed: true, time_zone: null, clock: null, created_at }])
  })

  test.each(['?page=0', '?page_size=101', '?page=x'])('refuse %s', async (query) => {
    expect((await nines.call('GET', `${path}${query}`)).status).toBe(400)
  })

  test('of another organization answer to every verb as one that does not exist', async () => {
    const before = await storedRows(nines)
    for (const [method, sent] of [['GET'], ['PUT', { role: 'viewer' }], ['DELETE']] as const) {
      const theirs = await nines.call(method, `${path}/${who.stranger.id}`, sent, who.admin)
      const none = await nines.call(method, `${path}/999999`, sent, who.admin)
      expect([theirs.status, theirs.text]).toEqual([404, none.text])
    }
    expect(await storedRows(nines)).toEqual(before)
  })
})

describe('the sessions of a user', () => {
  const endAll = (by: Person, id: number) => nines.call('DELETE', `${path}/${id}/sessions`, undefined, by)

  test('end at once by an administrator, and nothing else of the user', async () => {
    const login = { email: who.member.email, password: 'correct horse' }
    const second = (await nines.call('POST', '/api/v1/auth/login', login, { token: null })).body.access_token
    const created = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci' }, { token: second })
    expect((await me(who.member)).status).toBe(200)
    expect(await endAll(who.admin, who.member.id)).toMatchObject({ status: 200, body: { ended: 2 } })
    expect([(await me(who.member)).status, (await me({ ...who.member, token: second })).status]).toEqual([401, 401])
    expect((await read({ ...who.member, token: created.body.token }, who.member.id)).status).toBe(200)
    expect((await nines.call('POST', '/api/v1/auth/login', login, { token: null })).status).toBe(200)
    expect([(await me(who.admin)).status, (await me(who.viewer)).status]).toEqual([200, 200])
  })

  test('end with an entry in the audit log', async () => {
    await endAll(who.admin, who.viewer.id)
    expect(await lastAudit(nines)).toMatchObject({
      event: 'session_ended',
      user_id: who.admin.id,
      details: { user_id: who.viewer.id, user_email: who.viewer.email, sessions: 1 },
    })
  })

  test('stay where somebody else asks', async () => {
    for (const by of [who.member, who.viewer]) expect((await endAll(by, who.admin.id)).status).toBe(403)
    expect((await endAll(who.stranger, who.admin.id)).status).toBe(404)
    expect((await me(who.admin)).status).toBe(200)
  })
})

describe('a role', () => {
  test('changes from the next request on, up and down, and is in the audit log', async () => {
    const write = () => nines.call('PUT', '/api/v1/organization', { name: 'Ours' }, who.member)
    expect((await write()).status).toBe(403)
    expect((await setRole(who.admin, who.member.id, 'admin')).body).toMatchObject({ id: who.member.id, role: 'admin' })
    expect((await write()).status).toBe(200)
    expect((await setRole(who.admin, who.member.id, 'viewer')).body).toMatchObject({ role: 'viewer' })
    expect((await write()).status).toBe(403)
    expect((await me(who.member)).body.role).toBe('viewer')
    const details = { user_id: who.member.id, user_email: who.member.email, role: 'viewer', role_before: 'admin' }
    expect(await lastAudit(nines)).toMatchObject({ event: 'user_role_changed', user_id: who.admin.id, details })
  })

  test('that is given again changes nothing', async () => {
    const before = await storedRows(nines)
    expect((await setRole(who.admin, who.member.id, 'member')).status).toBe(200)
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each(['member', 'viewer'] as const)('is not given by a %s, to themselves or others', async (role) => {
    const before = await storedRows(nines)
    for (const id of [who[role].id, who.admin.id, who.stranger.id, 999_999]) {
      expect((await setRole(who[role], id, 'admin')).status).toBe(403)
    }
    expect(await storedRows(nines)).toEqual(before)
  })

  test.each([[undefined], [null], ['owner'], ['Admin'], [7], [['admin']]])('is not %p', async (role) => {
    const before = await storedRows(nines)
    const { status, body } = await setRole(who.admin, who.member.id, role)
    const rule = role === undefined ? 'is required:' : 'must be'
    expect([status, rulesOf(body)]).toEqual([400, `role: ${rule} one of viewer, member, admin`])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('is all that a body changes', async () => {
    const more = { id: who.stranger.id, organization_id: 2, email: 'new@example.com', name: 'New', password_hash: 'x' }
    const before = await nines.app.db.read.selectFrom('users').selectAll().execute()
    await setRole(who.admin, who.member.id, 'viewer', more)
    const after = await nines.app.db.read.selectFrom('users').selectAll().execute()
    expect(after).toEqual(before.map((row) => (row.id === who.member.id ? { ...row, role: 'viewer' } : row)))
  })

  test('of the last administrator stays', async () => {
    const before = await storedRows(nines)
    const { status, body } = await setRole(who.admin, who.admin.id, 'member')
    expect([status, body]).toMatchObject([409, lastAdmin])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('of an administrator can be given up where there is another', async () => {
    await setRole(who.admin, who.member.id, 'admin')
    expect((await setRole(who.admin, who.admin.id, 'viewer')).status).toBe(200)
    expect((await setRole(who.admin, who.admin.id, 'admin')).status).toBe(403)
    expect(await admins()).toEqual([who.member.id])
  })
})

describe('a removal', () => {
  test('ends all that a user could do, and keeps what they made', async () => {
    const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
    const created = await nines.call('POST', '/api/v1/slos', slo, who.member)
    expect((await remove(who.admin, who.member.id)).body).toEqual({ message: 'User removed' })
    expect((await me(who.member)).status).toBe(404)
    expect((await nines.call('GET', '/api/v1/slos', undefined, who.member)).status).toBe(401)
    expect((await read(who.admin, who.member.id)).status).toBe(404)
    const sessions = await nines.app.db.read.selectFrom('sessions').select('user_id').execute()
    expect(sessions.map(({ user_id }) => user_id)).not.toContain(who.member.id)
    const kept = await nines.call('GET', `/api/v1/slos/${created.body.id}`)
    expect(kept.body).toMatchObject({ name: 'a', created_by: null })
    const details = { user_id: who.member.id, user_email: who.member.email, role: 'member', invitations_withdrawn: 0 }
    expect(await lastAudit(nines)).toEqual({
      event: 'user_removed',
      user_id: who.admin.id,
      organization_id: 1,
      details,
    })
  })

  test('takes API tokens along', async () => {
    const { write, read: reader } = nines.app.db
    const token = {
      name: 'ci',
      role: 'member',
      hash: 'h',
      expires_at: null,
      last_used_at: null,
      created_at: 1,
    } as const
    await write
      .insertInto('api_tokens')
      .values({ ...token, organization_id: 1, user_id: who.member.id })
      .execute()
    await remove(who.admin, who.member.id)
    expect(await reader.selectFrom('api_tokens').selectAll().execute()).toEqual([])
  })

  test('leaves the address free to register again', async () => {
    await remove(who.admin, who.member.id)
    const again = await invited(nines, who.admin, 'member', 'viewer')
    expect(again.id).toBeGreaterThan(who.stranger.id)
  })

  test.each(['member', 'viewer'] as const)('is open to a %s for themselves only', async (role) => {
    const before = await storedRows(nines)
    for (const id of [who.admin.id, who.stranger.id, 999_999, `0${who[role].id}`, 'x'] as number[]) {
      expect((await remove(who[role], id)).status).toBe(403)
    }
    expect(await storedRows(nines)).toEqual(before)
    expect((await remove(who[role], who[role].id)).status).toBe(200)
    expect((await me(who[role])).status).toBe(404)
    expect(await lastAudit(nines)).toMatchObject({ event: 'user_removed', user_id: who[role].id })
  })

  test('of its user cannot be requested with a token of less power', async () => {
    await setRole(who.admin, who.member.id, 'admin')
    const make = { name: 'reader', role: 'viewer' }
    const { body } = await nines.call('POST', '/api/v1/auth/tokens', make, who.member)
    const machine = { ...who.member, token: body.token }
    expect((await read(machine, who.member.id)).status).toBe(200)
    const before = await storedRows(nines)
    expect((await remove(machine, who.member.id)).status).toBe(403)
    expect(await storedRows(nines)).toEqual(before)
  })

  test('of the last administrator is refused, also where nobody else is left', async () => {
    const before = await storedRows(nines)
    for (const last of [who.admin, who.stranger]) {
      const { status, body } = await remove(last, last.id)
      expect([status, body]).toMatchObject([409, lastAdmin])
    }
    expect(await storedRows(nines)).toEqual(before)
  })
})

describe('two administrators at the same time', () => {
  let other: Person
  beforeEach(async () => {
    other = await invited(nines, who.admin, 'other', 'admin')
    // both networks are known, so that neither login is delayed
    for (const one of [who.admin, other]) await me(one)
  })

  test.each([
    ['demote each other', (by: Person, id: number) => setRole(by, id, 'member')],
    ['remove each other', remove],
    ['demote themselves', (by: Person) => setRole(by, by.id, 'viewer')],
    ['remove themselves', (by: Person) => remove(by, by.id)],
  ])('who %s leave one', async (_, act) => {
    const answers = await Promise.all([act(who.admin, other.id), act(other, who.admin.id)])
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses[0]).toBe(200)
    expect([401, 403, 409]).toContain(statuses[1] ?? 0)
    expect(await admins()).toHaveLength(1)
  })

  test('who demote each other with a third one around do not both succeed', async () => {
    await setRole(who.admin, who.member.id, 'admin')
    const answers = await Promise.all([setRole(who.admin, other.id, 'member'), setRole(other, who.admin.id, 'member')])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
    expect(await admins()).toHaveLength(2)
  })
})
