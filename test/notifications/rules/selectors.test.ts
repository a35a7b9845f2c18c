import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { createInheritance, readSelector, type SelectableSlo } from '../../../src/notifications/rules/selectors.ts'

const exactly = 'selector: must be an object with exactly one of all, labels and team_id'

test.each([
  [undefined, null],
  [null, null],
  [{ all: true }, '{"all":true}'],
  [{ team_id: 3 }, '{"team_id":3}'],
  [{ labels: { team: ' payments ' } }, '{"labels":{"team":"payments"}}'],
  [{ labels: { tier: '1', env: 'prod' } }, '{"labels":{"env":"prod","tier":"1"}}'],
  [JSON.parse('{"labels": {"__proto__": "x"}}'), '{"labels":{"__proto__":"x"}}'],
])('the selector %j is stored as %p', (sent, stored) => {
  expect(readSelector(sent)).toBe(stored)
})

test.each([
  ['all', exactly],
  [[], exactly],
  [7, exactly],
  [{}, exactly],
  [{ all: true, team_id: 1 }, exactly],
  [{ all: true, lables: { a: 'b' } }, exactly],
  [{ every: true }, exactly],
  [JSON.parse('{"__proto__": {"all": true}}'), exactly],
  [{ all: false }, 'selector.all: must be true'],
  [{ all: 'true' }, 'selector.all: must be true'],
  [{ team_id: 0 }, 'selector.team_id: must be the team id, a whole number from 1'],
  [{ team_id: '1' }, 'selector.team_id: must be the team id'],
  [{ team_id: 1.5 }, 'selector.team_id: must be the team id'],
  [{ team_id: 1e300 }, 'selector.team_id: must be the team id'],
  [{ labels: {} }, 'selector.labels: must have at least one entry'],
  [{ labels: null }, 'selector.labels: must be a JSON object of texts'],
  [{ labels: ['a'] }, 'selector.labels: must be a JSON object of texts'],
  [{ labels: { 'a b': 'c' } }, 'selector.labels: must be names of 1 to 63 letters'],
  [{ labels: { a: '' } }, 'selector.labels.a: must be 1 to 200 characters'],
  [{ labels: { a: 1 } }, 'selector.labels.a: must be 1 to 200 characters'],
  [{ labels: { a: 'x\u0000' } }, 'selector.labels.a: must be 1 to 200 characters'],
  [
    { labels: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`l${at}`, 'x'])) },
    'labels: must have at most 20 entries, not 21',
  ],
])('the selector %j is refused, with its field', (sent, details) => {
  const refused = () => {
    try {
      return readSelector(sent)
    } catch (error) {
      return error
    }
  }
  const error = refused()
  expect(error).toBeInstanceOf(AppError)
  expect((error as AppError).details).toContain(details)
})

const slo = (change: Partial<SelectableSlo> & { of?: object } = {}): SelectableSlo => ({
  id: 1,
  organization_id: 1,
  team_id: 1,
  labels: JSON.stringify(change.of ?? { env: 'prod', tier: '1' }),
  ...change,
})
const rule = (id: number, selector: object, change: object = {}) => ({
  id,
  organization_id: 1,
  channel_id: 1,
  cause: 'violation' as const,
  selector: readSelector(selector) ?? '',
  ...change,
})
const idsOf = (rules: ReturnType<typeof rule>[], of = slo()) =>
  createInheritance(rules, [])(of, []).selected.map(({ id }) => id)

describe('a rule is selected', () => {
  test.each([
    ['for all SLOs', { all: true }, slo({ of: {} }), true],
    ['for a team', { team_id: 2 }, slo({ team_id: 2 }), true],
    ['not for another team', { team_id: 2 }, slo(), false],
    ['for labels that the SLO has among others', { labels: { env: 'prod' } }, slo(), true],
    ['not for labels of which the SLO has only some', { labels: { env: 'prod', team: 'x' } }, slo(), false],
    ['not for another value', { labels: { env: 'dev' } }, slo(), false],
    ['not for a property of all objects', { labels: { constructor: 'x' } }, slo(), false],
    ['not for an SLO of another organization', { all: true }, slo({ organization_id: 2 }), false],
    ['not for the same team id of another organization', { team_id: 1 }, slo({ organization_id: 2 }), false],
  ])('%s', (_, selector, of, isSelected) => {
    expect(idsOf([rule(1, selector)], of)).toEqual(isSelected ? [1] : [])
  })
})

describe('of several rules of a channel and a cause', () => {
  test.each([
    ['a team comes before all', [{ all: true }, { team_id: 1 }], 2],
    ['a label comes before a team', [{ team_id: 1 }, { labels: { env: 'prod' } }], 2],
    ['two labels come before one', [{ labels: { env: 'prod' } }, { labels: { env: 'prod', tier: '1' } }], 2],
    ['the older of two like ones counts', [{ labels: { tier: '1' } }, { labels: { env: 'prod' } }], 1],
    ['one that selects the SLO not makes no difference', [{ all: true }, { labels: { env: 'dev' } }], 1],
  ])('%s', (_, selectors, id) => {
    const rules = selectors.map((selector, at) => rule(at + 1, selector))
    expect([idsOf(rules), idsOf(rules.toReversed())]).toEqual([[id], [id]])
  })

  test('each channel and each cause has its own', () => {
    const others = [rule(2, { team_id: 1 }, { channel_id: 2 }), rule(3, { team_id: 1 }, { cause: 'warning' })]
    expect(idsOf([rule(1, { all: true }), ...others]).toSorted()).toEqual([1, 2, 3])
  })
})

test('default channels of other organizations are not inherited', () => {
  const channels = [
    { id: 1, organization_id: 1 },
    { id: 2, organization_id: 2 },
  ]
  const { defaults } = createInheritance([], channels)(slo(), [])
  expect(defaults.map(({ channel, cause }) => `${channel.id} ${cause}`)).toEqual([
    '1 violation',
    '1 burn_rate_too_fast',
    '1 error_budget_exhausted',
    '1 recovery',
  ])
})
