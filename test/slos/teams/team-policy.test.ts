import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { evaluated } from '../../sli/ledger-fixtures.ts'
import type { TestApp } from '../../support/app.ts'
import { lastAudit, type People, type Person } from '../../support/people.ts'
import { dump } from '../../support/populated.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'
import { checkout } from '../../support/slo-calls.ts'

const teams = '/api/v1/organization/teams'
const slos = '/api/v1/slos'
const freeze = { percent_left: 25, text: 'Freeze of risky deploys', url: 'https://wiki.example.com/policy' }
const stop = { percent_left: 0, text: 'Only fixes are deployed', url: '' }
const review = { percent_left: 50, text: 'Two reviews of each change', url: '' }

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
})
afterEach(() => nines.close())

const put = (id: number, body: object, by: Person = who.admin) => nines.call('PUT', `${teams}/${id}`, body, by)
const get = async (path: string, by: Person = who.admin) =>
  (await nines.call('GET', `${slos}/${path}`, undefined, by)).body
const make = async (body: object = {}, by: Person = who.admin) =>
  (await nines.call('POST', slos, { ...checkout, target: 99, ...body }, by)).body.id as number
const policyNow = async (id: number) => (await get(`${id}/budget`)).policy

describe('the policy of a team', () => {
  test('is stored with it, the highest percent first, kept at a new name, changed and removed', async () => {
    const made = await nines.call('POST', teams, { name: 'Payments', budget_policy: [stop, freeze] })
    expect([made.status, made.body.budget_policy]).toEqual([201, [freeze, stop]])
    expect((await put(2, { name: 'Billing' })).body).toMatchObject({ name: 'Billing', budget_policy: [freeze, stop] })
    expect((await put(2, { budget_policy: [stop] })).body).toMatchObject({ name: 'Billing', budget_policy: [stop] })
    const { body } = await nines.call('GET', teams, undefined, who.viewer)
    expect(body.teams[1].budget_policy).toEqual([stop])
    expect((await put(2, { budget_policy: [] })).body.budget_policy).toEqual([])
    expect((await nines.call('GET', `${teams}/2`)).body.budget_policy).toEqual([])
  })

  test('is in the audit log with what it was before; the same one sent again is no change', async () => {
    await nines.call('POST', teams, { name: 'Payments', budget_policy: [freeze] })
    expect((await lastAudit(nines))?.details).toEqual({ team_id: 2, name: 'Payments', budget_policy: [freeze] })
    await put(2, { budget_policy: [stop] })
    const { event, details } = (await lastAudit(nines)) ?? {}
    expect(event).toBe('team_changed')
    const policies = { budget_policy: [stop], budget_policy_before: [freeze] }
    expect(details).toEqual({ team_id: 2, name: 'Payments', ...policies })
    const before = dump(nines)
    expect((await put(2, { name: 'Payments', budget_policy: [stop] })).status).toBe(200)
    expect(dump(nines)).toEqual(before)
  })

  test('changes no SLO', async () => {
    await make()
    const before = await nines.app.db.read.selectFrom('slos').selectAll().execute()
    await put(1, { budget_policy: [freeze] })
    expect(await nines.app.db.read.selectFrom('slos').selectAll().execute()).toEqual(before)
    expect((await get('1/changes')).total).toBe(1)
  })

  test.each([
    [{}, 'body: must have at least one known field of a team'],
    [{ budget_policy: null }, 'budget_policy: must be a list of at most 4 entries'],
    [{ budget_policy: [stop, stop] }, 'budget_policy: must have each percent_left once'],
    [
      { budget_policy: [{ ...stop, url: 'javascript:alert(1)' }] },
      'budget_policy.0.url: must be an http(s) URL of at most 2000 characters without user name, password and invisible characters, or empty',
    ],
    [
      { name: '', budget_policy: [{ ...stop, percent_left: 100 }] },
      'name: must be 1 to 200 characters, one of them visible, no control characters; budget_policy.0.percent_left: must be a whole number from 0 to 99',
    ],
  ])('is refused, and without effect, with the body %j', async (body, details) => {
    const before = dump(nines)
    const answer = await put(1, body)
    expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
    expect(dump(nines)).toEqual(before)
  })

  test('is changed by administrators alone', async () => {
    for (const role of ['member', 'viewer'] as const) {
      expect((await put(1, { budget_policy: [freeze] }, who[role])).status).toBe(403)
    }
  })
})

describe('an SLO without a policy of its own', () => {
  test('has that of its team, which its budget and definition say', async () => {
    const id = await make()
    await evaluated(nines, id, { budgetUsed: 80, own: 99.2 })
    expect([await policyNow(id), (await get(`${id}`)).policy_in_force]).toEqual([null, null])
    await put(1, { budget_policy: [freeze, stop] })
    expect(await policyNow(id)).toEqual({ ...freeze, source: 'team' })
    expect(await get(`${id}`)).toMatchObject({
      budget_policy: [],
      policy_in_force: { source: 'team', lines: [freeze, stop] },
    })
    await put(1, { budget_policy: [] })
    expect(await policyNow(id)).toBeNull()
  })

  test('has that of the team to which it is moved', async () => {
    const id = await make()
    await evaluated(nines, id, { budgetUsed: 80, own: 99.2 })
    await put(1, { budget_policy: [freeze] })
    await nines.call('POST', teams, { name: 'Payments', budget_policy: [review] })
    await nines.call('POST', teams, { name: 'Search' })
    await nines.call('PUT', `${slos}/${id}`, { team_id: 2 })
    expect(await policyNow(id)).toEqual({ ...review, source: 'team' })
    await nines.call('PUT', `${slos}/${id}`, { team_id: 3 })
    expect(await policyNow(id)).toBeNull()
  })

  test('is without that of the same number in another organization', async () => {
    await put(1, { budget_policy: [freeze] })
    const id = await make({}, who.stranger)
    expect((await get(`${id}`, who.stranger)).policy_in_force).toBeNull()
    expect((await get('overview', who.stranger)).team_policies).toEqual([])
  })
})

describe('an SLO with a policy of its own', () => {
  test('has that one as a whole', async () => {
    await put(1, { budget_policy: [review, freeze, stop] })
    const id = await make({ budget_policy: [stop] })
    await evaluated(nines, id, { budgetUsed: 80, own: 99.2 })
    expect(await policyNow(id)).toBeNull()
    expect((await get(`${id}`)).policy_in_force).toEqual({ source: 'slo', lines: [stop] })
    await nines.call('PUT', `${slos}/${id}`, { budget_policy: [freeze] })
    expect(await policyNow(id)).toEqual({ ...freeze, source: 'slo' })
    await nines.call('PUT', `${slos}/${id}`, { budget_policy: [] })
    expect(await policyNow(id)).toEqual({ ...freeze, source: 'team' })
  })

  test('can be sent again as the list has it, without the lines of its team', async () => {
    await put(1, { budget_policy: [review] })
    await make()
    const { slos: listed } = await get('')
    expect(listed[0].budget_policy).toEqual([])
    expect(listed[0]).not.toHaveProperty('team_policy')
  })
})

test('the overview has the policy of each team once, beside the own ones of the SLOs', async () => {
  await put(1, { budget_policy: [review] })
  await nines.call('POST', teams, { name: 'Payments', budget_policy: [freeze] })
  for (const name of ['a', 'b']) await make({ name })
  await make({ name: 'c', budget_policy: [stop] })
  const { slos: rows, team_policies } = await get('overview')
  expect(rows.map((row: { budget_policy?: object[] }) => row.budget_policy)).toEqual([[stop], undefined, undefined])
  expect(team_policies).toEqual([{ team_id: 1, budget_policy: [review] }])
})
