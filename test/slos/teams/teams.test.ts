import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { storedRows, lastAudit, type People, type Person } from '../../support/people.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/organization/teams'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
})
afterEach(() => nines.close())

const create = (name: unknown, more: object = {}, by: Person = who.admin) =>
  nines.call('POST', path, { name, ...more }, by)
const rename = (id: number, name: unknown, more: object = {}) => nines.call('PUT', `${path}/${id}`, { name, ...more })
const remove = (id: number) => nines.call('DELETE', `${path}/${id}`)
const teamsOf = async (by: Person = who.admin, query = '') =>
  (await nines.call('GET', `${path}${query}`, undefined, by)).body
const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const created_at = new Date(testStartMs).toISOString()

describe('the teams of an organization', () => {
  test.each(['admin', 'member', 'viewer'] as const)('can be read by its %s', async (role) => {
    await create('Payments')
    const teams = [
      { id: 1, name: 'Default', budget_policy: [], created_at },
      { id: 2, name: 'Payments', budget_policy: [], created_at },
    ]
    expect(await teamsOf(who[role])).toEqual({ teams, total: 2, page: 1, page_size: 100, has_next: false })
    expect(await teamsOf(who[role], '?page=2&page_size=1')).toMatchObject({ teams: [{ id: 2 }], has_next: false })
    expect((await nines.call('GET', `${path}/2`, undefined, who[role])).body).toEqual(teams[1])
  })

  test('are numbered in each organization for itself', async () => {
    expect((await create('Payments')).body.id).toBe(2)
    expect((await create('Payments', {}, who.stranger)).body.id).toBe(2)
    expect((await create('Search')).body.id).toBe(3)
    expect((await teamsOf(who.stranger)).total).toBe(2)
  })

  test.each(['member', 'viewer'] as const)('are not changed by a %s', async (role) => {
    await create('Payments')
    const before = await storedRows(nines)
    for (const [method, at, sent] of [
      ['POST', '', { name: 'Mine' }],
      ['POST', '', {}],
      ['PUT', '/2', { name: 'Mine' }],
      ['PUT', '/99', { name: 'Mine' }],
      ['DELETE', '/2', undefined],
      ['DELETE', '/x', undefined],
    ] as const) {
      expect((await nines.call(method, `${path}${at}`, sent, who[role])).status).toBe(403)
    }
    expect(await storedRows(nines)).toEqual(before)
  })

  test('of another one answer to every verb as what does not exist', async () => {
    await create('Payments')
    const before = await storedRows(nines)
    for (const [method, sent] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const) {
      const theirs = await nines.call(method, `${path}/2`, sent, who.stranger)
      const none = await nines.call(method, `${path}/999999`, sent, who.stranger)
      expect([theirs.status, theirs.text]).toEqual([404, none.text])
    }
    expect(await storedRows(nines)).toEqual(before)
  })
})

describe('a team', () => {
  test('is made, renamed and deleted, and the audit log has each change', async () => {
    const made = await create(' Payments ')
    expect([made.status, made.body]).toEqual([201, { id: 2, name: 'Payments', budget_policy: [], created_at }])
    const entry = { user_id: who.admin.id, organization_id: 1 }
    expect(await lastAudit(nines)).toEqual({
      ...entry,
      event: 'team_created',
      details: { team_id: 2, name: 'Payments' },
    })
    expect((await rename(2, 'Billing')).body).toEqual({ id: 2, name: 'Billing', budget_policy: [], created_at })
    const renamed = { team_id: 2, name: 'Billing', name_before: 'Payments' }
    expect(await lastAudit(nines)).toEqual({ ...entry, event: 'team_changed', details: renamed })
    expect((await remove(2)).body).toEqual({ message: 'Team deleted' })
    expect(await lastAudit(nines)).toEqual({
      ...entry,
      event: 'team_deleted',
      details: { team_id: 2, name: 'Billing' },
    })
    expect((await nines.call('GET', `${path}/2`)).status).toBe(404)
  })

  test('never gets the number of a deleted one', async () => {
    await create('Payments')
    await remove(2)
    expect((await create('Payments')).body.id).toBe(3)
  })

  test('takes nothing but the name and the policy from a body', async () => {
    const more = { id: 77, organization_id: 2, created_at: '1999-01-01T00:00:00Z' }
    expect((await create('Payments', more)).body).toEqual({ id: 2, name: 'Payments', budget_policy: [], created_at })
    expect((await rename(2, 'Billing', more)).body).toEqual({ id: 2, name: 'Billing', budget_policy: [], created_at })
    expect((await teamsOf(who.stranger)).total).toBe(1)
  })

  test.each(['payments', 'PAYMENTS', ' Payments', 'größe', 'gro\u0308ße'])('is not called %p twice', async (name) => {
    for (const taken of ['Payments', 'GRÖßE']) await create(taken)
    await create('Other')
    const before = await storedRows(nines)
    for (const answer of [await create(name), await rename(4, name), await rename(1, name)]) {
      expect([answer.status, answer.body.error]).toEqual([409, 'Team name already in use'])
    }
    expect(await storedRows(nines)).toEqual(before)
  })

  test('may change the case of its own name', async () => {
    await create('Payments')
    expect((await rename(2, 'PAYMENTS')).body.name).toBe('PAYMENTS')
  })

  test.each([undefined, null, '', '  ', 'x'.repeat(201), 'a\nb', 7])('is not called %p', async (name) => {
    const before = await storedRows(nines)
    const rule = '1 to 200 characters, one of them visible, no control characters'
    const made = await create(name)
    const changed = await rename(1, name)
    const isAbsent = name === undefined
    expect([made.status, changed.status]).toEqual([400, 400])
    expect(rulesOf(made.body)).toBe(`name: ${isAbsent ? 'is required:' : 'must be'} ${rule}`)
    expect(rulesOf(changed.body)).toBe(
      isAbsent ? 'body: must have at least one known field of a team' : `name: must be ${rule}`,
    )
    expect(await storedRows(nines)).toEqual(before)
  })

  test('that is the default one can be renamed and not deleted', async () => {
    expect((await rename(1, 'Everybody')).body).toMatchObject({ id: 1, name: 'Everybody' })
    const before = await storedRows(nines)
    const { status, body } = await remove(1)
    expect([status, body.error]).toEqual([409, 'The default team cannot be deleted'])
    expect(await storedRows(nines)).toEqual(before)
  })

  test('stays while SLOs belong to it, deleted ones too', async () => {
    await create('Payments')
    for (const name of ['a', 'b']) await nines.call('POST', '/api/v1/slos', { ...slo, name, team_id: 2 })
    await nines.call('DELETE', '/api/v1/slos/2')
    const before = await storedRows(nines)
    const { status, body } = await remove(2)
    expect([status, body]).toEqual([
      409,
      { success: false, error: 'Team is in use', details: 'SLOs of the team, deleted ones too: 2' },
    ])
    expect(await storedRows(nines)).toEqual(before)
    for (const id of [1, 2]) await nines.call('PUT', `/api/v1/slos/${id}`, { team_id: 1 })
    expect((await remove(2)).status).toBe(200)
  })
})

describe('at the same time', () => {
  test('teams of one name become one team, and others get different numbers', async () => {
    const answers = await Promise.all(['A', 'a', 'B', 'A', 'C'].map((name) => create(name)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409])
    const { teams } = await teamsOf()
    expect(teams.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4])
  })

  test('a deletion and an SLO for the team do not both succeed', async () => {
    await create('Payments')
    const [made, gone] = await Promise.all([nines.call('POST', '/api/v1/slos', { ...slo, team_id: 2 }), remove(2)])
    expect(`${made.status} ${gone.status}`).toMatch(/^(201 409|400 200)$/)
  })
})
