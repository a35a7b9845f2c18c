import { afterEach, beforeEach, expect, test } from 'bun:test'
import { evaluated } from '../sli/ledger-fixtures.ts'
import type { TestApp } from '../support/app.ts'
import { dump } from '../support/populated.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

const path = '/api/v1/slos'
const freeze = { percent_left: 25, text: 'Freeze of risky deploys', url: 'https://wiki.example.com/policy' }
const stop = { percent_left: 0, text: 'Only fixes are deployed', url: '' }

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const made = async (budget_policy?: unknown) => (await nines.call('POST', path, { ...checkout, budget_policy })).body
const get = async (of = '1') => (await nines.call('GET', `${path}/${of}`)).body

test('a policy is stored with an SLO, the highest percent first, and changed and removed like its other fields', async () => {
  expect(await made([stop, { ...freeze, text: ' Freeze of risky deploys ' }])).toMatchObject({
    budget_policy: [freeze, stop],
  })
  expect((await get()).budget_policy).toEqual([freeze, stop])
  expect((await nines.call('PUT', `${path}/1`, { owner: 'Ada' })).status).toBe(200)
  expect((await get()).budget_policy).toEqual([freeze, stop])
  await nines.call('PUT', `${path}/1`, { budget_policy: [{ percent_left: 10, text: 'x' }] })
  expect((await get()).budget_policy).toEqual([{ percent_left: 10, text: 'x', url: '' }])
  const [change] = (await get('1/changes')).changes
  expect(change).toMatchObject({ new_revision: false, fields: [{ field: 'budget_policy', before: [freeze, stop] }] })
  await nines.call('PUT', `${path}/1`, { budget_policy: [] })
  expect((await get()).budget_policy).toEqual([])
})

test('an SLO without a policy has an empty one', async () => {
  expect(await made()).toMatchObject({ budget_policy: [] })
})

test.each([
  [20, 25],
  [-5, 0],
  [25, 25],
  [26, null],
])('with %p % of the budget left the line at %p holds', async (left, percent) => {
  await nines.call('POST', path, { ...checkout, target: 99, budget_policy: [freeze, stop] })
  await evaluated(nines, 1, { budgetUsed: 100 - left, own: 99 + left / 100 })
  expect((await get('1/budget')).policy?.percent_left ?? null).toBe(percent)
})

test('nothing holds before there are figures', async () => {
  await made([freeze, stop])
  expect((await get('1/budget')).policy).toBeNull()
})

test('the overview has the policies of the SLOs that have one', async () => {
  await made([freeze])
  await nines.call('POST', path, { ...checkout, name: 'other' })
  const { slos } = await get('overview')
  expect(slos.map(({ budget_policy }: { budget_policy?: object[] }) => budget_policy)).toEqual([undefined, [freeze]])
})

test.each([
  [{}, 'budget_policy: must be a list of at most 4 entries'],
  [
    Array.from({ length: 5 }, (_, n) => ({ ...stop, percent_left: n })),
    'budget_policy: must be a list of at most 4 entries',
  ],
  [[stop, stop], 'budget_policy: must have each percent_left once'],
  [['x'], 'budget_policy.0: must be an object with percent_left and text'],
  [[{ ...stop, percent_left: 100 }], 'budget_policy.0.percent_left: must be a whole number from 0 to 99'],
  [[{ ...stop, percent_left: '25' }], 'budget_policy.0.percent_left: must be a whole number from 0 to 99'],
  [[{ ...stop, percent_left: 2.5 }], 'budget_policy.0.percent_left: must be a whole number from 0 to 99'],
  [[freeze, { ...stop, text: ' ' }], 'budget_policy.1.text: must be 1 to 300 characters, no control characters'],
  [[{ ...stop, text: 'a\nb' }], 'budget_policy.0.text: must be 1 to 300 characters, no control characters'],
  ...[
    'javascript:alert(1)',
    'https://user:pass@wiki.example.com',
    'https://user@wiki.example.com',
    'https://wiki.example.com/\u202efdp.exe',
    'https://wiki.example.com/\u200b',
    'https://wiki.example.com/\u0000',
  ].map((url): [object[], string] => [
    [{ ...stop, url }],
    'budget_policy.0.url: must be an http(s) URL of at most 2000 characters without user name, password and invisible characters, or empty',
  ]),
  [[{ ...stop, more: 1 }], 'budget_policy.0.more: is not a field of a line'],
])('refused, and without effect, is the policy %j', async (budget_policy, details) => {
  await made([freeze])
  const before = dump(nines)
  for (const answer of [
    await nines.call('PUT', `${path}/1`, { budget_policy }),
    await nines.call('POST', path, { ...checkout, name: 'other', budget_policy }),
  ]) {
    expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
  }
  expect(dump(nines)).toEqual(before)
})
