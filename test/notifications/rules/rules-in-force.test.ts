import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listRulesInForce } from '../../../src/notifications/rules/rules-in-force.ts'
import { checkout } from '../../support/slo-calls.ts'
import { queryPlansOf } from '../../support/query-plans.ts'
import { type Alerting, alerting, critical, tiers } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const alert_type = 'burn_rate_too_fast'
const selectorRule = (selector: object, change: object = {}) =>
  world.post('/notifications/rules', { channel_id: 1, alert_type, selector, ...change })

/** Which rules of channel 1 there are for the cause, `off` if disabled. */
type Rules = { own?: 'on' | 'off'; labels?: 'on' | 'off'; all?: 'on' | 'off'; isDefault?: boolean }

describe('for one SLO, channel and cause', () => {
  test.each([
    [{}, null],
    [{ isDefault: true }, 'default'],
    [{ all: 'on' }, 'selector low'],
    [{ all: 'on', isDefault: true }, 'selector low'],
    [{ all: 'off' }, null],
    [{ all: 'off', isDefault: true }, null],
    [{ labels: 'on', all: 'on' }, 'selector high'],
    [{ labels: 'on', all: 'off', isDefault: true }, 'selector high'],
    [{ labels: 'off', all: 'on', isDefault: true }, null],
    [{ own: 'on' }, 'rule critical'],
    [{ own: 'on', all: 'on' }, 'rule critical'],
    [{ own: 'on', isDefault: true }, 'rule critical'],
    [{ own: 'on', labels: 'off', all: 'off', isDefault: true }, 'rule critical'],
    [{ own: 'off' }, null],
    [{ own: 'off', isDefault: true }, null],
    [{ own: 'off', all: 'on' }, null],
    [{ own: 'off', labels: 'on', all: 'on', isDefault: true }, null],
  ] as [Rules, string | null][])('%j is notified by %p', async ({ own, labels, all, isDefault = false }, by) => {
    await world.put('/slos/1', { labels: { env: 'prod' } })
    await world.put('/notifications/channels/1', { is_default: isDefault })
    if (own) await world.rule(alert_type, { priority: 'critical', enabled: own === 'on' })
    if (labels) await selectorRule({ labels: { env: 'prod' } }, { priority: 'high', enabled: labels === 'on' })
    if (all) await selectorRule({ all: true }, { priority: 'low', enabled: all === 'on' })
    const told = await world.minute({ ...critical, ...tiers({ 1: true }) })
    expect(told).toEqual(by === null ? [] : ['1 alert burn_rate_too_fast burn_rate:3600:300'])
    const rules = await listRulesInForce(world.nines.app.db.read, [1])
    const found = rules.filter(({ cause }) => cause === alert_type)
    expect(found.map((one) => (one.by === 'default' ? one.by : `${one.by} ${one.priority}`))).toEqual(by ? [by] : [])
    const { body } = await world.nines.call('GET', '/api/v1/slos/1/recipients')
    const page = body.causes.find((one: { severity: string }) => one.severity === 'page')
    expect(page.recipients.map((one: { by: string }) => one.by)).toEqual(by ? [by.split(' ')[0]] : [])
    const coverage = (await world.nines.call('GET', '/api/v1/notifications/rules/coverage')).body
    type Group = { enabled: boolean; slo_ids: number[]; by: string; alert_type: string }
    const groups = coverage.groups.filter((one: Group) => one.enabled && one.alert_type === alert_type)
    const covering = groups.filter((one: Group) => one.slo_ids.includes(1)).map((one: Group) => one.by)
    expect(covering).toEqual(by ? [by.split(' ')[0]] : [])
    expect(coverage.uncovered).toEqual(by || isDefault ? [] : [1])
  })

  test('a disabled channel is not notified, default or not', async () => {
    await world.put('/notifications/channels/1', { is_default: true, enabled: false })
    expect(await listRulesInForce(world.nines.app.db.read, [1])).toEqual([])
  })

  test('another channel makes no difference', async () => {
    await world.put('/notifications/channels/1', { is_default: true })
    await world.rule(alert_type, { channel_id: 2, enabled: false })
    await selectorRule({ all: true }, { channel_id: 2 })
    expect(await world.minute({ ...critical, ...tiers({ 1: true }) })).toEqual([
      '1 alert burn_rate_too_fast burn_rate:3600:300',
    ])
  })
})

test('the rules of 250 SLOs take as many statements as those of one', async () => {
  for (let at = 2; at <= 250; at += 1) {
    await world.post('/slos', { ...checkout, name: `SLO ${at}`, labels: { at: `${at}` } })
  }
  await selectorRule({ all: true }, { message: 'long' })
  for (let at = 1; at <= 20; at += 1) await selectorRule({ labels: { at: `${at}` } })
  await world.put('/notifications/channels/2', { is_default: true })
  const count = async (ids: number[]) => {
    let found = 0
    const plans = await queryPlansOf(world.nines.app.db.read, async (db) => {
      found = (await listRulesInForce(db, ids)).length
    })
    return { found, plans }
  }
  const one = await count([1])
  const all = await count(Array.from({ length: 250 }, (_, at) => at + 1))
  expect([one.found, all.found]).toEqual([5, 5 * 250])
  expect(all.plans).toEqual(one.plans)
  expect(all.plans.some((plan) => plan.includes('INDEX one_selector_rule'))).toBe(true)
  expect(all.plans.filter((plan) => /^SCAN (?!json_each)/.test(plan))).toEqual([])
})

test('texts are those of the rule in force, and none of a default channel', async () => {
  await selectorRule({ all: true }, { subject: 'mine', message: 'too' })
  await world.put('/notifications/channels/2', { is_default: true })
  const rules = await listRulesInForce(world.nines.app.db.read, [1])
  const texts = rules.filter(({ cause }) => cause === alert_type).map(({ subject, message }) => [subject, message])
  expect(texts).toEqual([
    ['mine', 'too'],
    [null, null],
  ])
})
