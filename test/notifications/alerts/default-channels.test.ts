import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Outage } from '../../../src/evaluation/outage.ts'
import { checkout } from '../../support/slo-calls.ts'
import { type Alerting, alerting, critical, healthy, tiers, unknown, warning } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const isDefault = (id: number, is_default = true) => world.put(`/notifications/channels/${id}`, { is_default })
const outage = (isDown: boolean): { outage: Outage } => ({
  outage: { isDown, isUnconfirmed: false, sinceSeconds: null, reason: 'HTTP 503' },
})
const priorities = async () => (await world.outbox()).map(({ priority, max_retries }) => [priority, max_retries])
const selectorRule = (change: object) =>
  world.post('/notifications/rules', {
    channel_id: 1,
    alert_type: 'burn_rate_too_fast',
    selector: { all: true },
    ...change,
  })

describe('a default channel, without any rule,', () => {
  test.each([
    ['an outage', { ...healthy, ...outage(true) }, ['1 alert violation down'], 'critical'],
    ['a page tier', tiers({ 1: true }), ['1 alert burn_rate_too_fast burn_rate:3600:300'], 'critical'],
    ['a ticket tier', tiers({ 72: true }), ['1 alert burn_rate_too_fast burn_rate:259200:21600'], 'medium'],
    ['no budget left', { budgetUsed: 101 }, ['1 alert error_budget_exhausted budget:0'], 'high'],
  ])('is notified of %s, with the priority of its severity', async (_, found, told, priority) => {
    await isDefault(1)
    expect(await world.minute({ ...healthy, ...found })).toEqual(told)
    expect(await priorities()).toEqual([[priority, 12]] as never)
    expect(await world.outbox()).toMatchObject([{ rule_id: null, slo_id: 1, channel_id: 1 }])
  })

  test.each([
    ['a warning', warning],
    ['a critical status', critical],
    ['a budget that gets low', { ...healthy, budgetUsed: 80 }],
    ['data that are missing', unknown],
  ])('is not notified of %s, nor of its end', async (_, found) => {
    await isDefault(1)
    expect(await world.minute(found)).toEqual([])
    expect(await world.minute(healthy)).toEqual([])
  })

  test('is notified of the end of what it was notified of, once', async () => {
    await isDefault(1)
    await world.minute({ ...critical, ...outage(true) })
    expect(await world.minute({ ...critical, ...outage(false) })).toEqual(['1 recovery recovery down'])
    expect(await world.minutes(2, { ...healthy, ...outage(false) })).toEqual([])
    expect(await priorities()).toEqual([
      ['critical', 12],
      ['critical', 12],
    ])
  })

  test('is notified of SLOs made later, beside all other default channels and no other channel', async () => {
    await isDefault(1)
    await isDefault(2)
    await world.post('/notifications/channels', {
      name: 'third',
      channel_type: 'webhook',
      configuration: { webhook_url: 'http://127.0.0.1:9/third' },
    })
    const { body } = await world.post('/slos', { ...checkout, name: 'Later' })
    const sloUpdatedAtMs = Date.parse(body.updated_at)
    expect(await world.minute({ sloId: body.id, sloUpdatedAtMs, ...tiers({ 1: true }) })).toEqual([
      '1 alert burn_rate_too_fast burn_rate:3600:300',
      '2 alert burn_rate_too_fast burn_rate:3600:300',
    ])
  })
})

test('a channel that exists, or is made without is_default, is not notified', async () => {
  expect(await world.minute({ ...critical, ...tiers({ 1: true }) })).toEqual([])
})

test('an alert that is open when its channel becomes a default one is notified once', async () => {
  const found = { ...healthy, ...tiers({ 1: true }) }
  await world.minute(found)
  await isDefault(1)
  expect(await world.minute(found)).toHaveLength(1)
  expect(await world.minutes(3, found)).toEqual([])
})

describe('a channel is notified of an alert once, though', () => {
  const found = { ...healthy, ...tiers({ 1: true }) }
  const put = (path: string, body: object) => () => world.put(path, body)
  const edits: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['the default channel gets a rule', put('/notifications/channels/1', { is_default: true }), () => selectorRule({})],
    ['the selector rule gets one by slo_id above it', () => selectorRule({}), () => world.rule('burn_rate_too_fast')],
    [
      'the rule by slo_id is deleted, and a default takes its place',
      () => Promise.all([world.rule('burn_rate_too_fast'), isDefault(1)]),
      () => world.nines.call('DELETE', '/api/v1/notifications/rules/1'),
    ],
    [
      'its rule is deleted and made again',
      () => selectorRule({}),
      async () => {
        await world.nines.call('DELETE', '/api/v1/notifications/rules/1')
        await selectorRule({ selector: { team_id: 1 } })
      },
    ],
    [
      'the selector changes',
      () => selectorRule({}),
      put('/notifications/rules/1', { selector: { team_id: 1 }, priority: 'low' }),
    ],
    [
      'the default is taken back and given again',
      () => isDefault(1),
      () => isDefault(1, false).then(() => isDefault(1)),
    ],
    [
      'the channel is disabled and enabled again',
      () => isDefault(1),
      async () => {
        await world.settle('delivered')
        await world.put('/notifications/channels/1', { enabled: false })
        await world.put('/notifications/channels/1', { enabled: true })
      },
    ],
  ]
  test.each(edits)('%s', async (_, before, edit) => {
    await before()
    expect(await world.minute(found)).toEqual(['1 alert burn_rate_too_fast burn_rate:3600:300'])
    await edit()
    expect(await world.minutes(3, found)).toEqual([])
    expect((await world.outbox()).filter(({ event }) => event === 'alert')).toHaveLength(1)
    expect((await world.minute(healthy))[0]).toStartWith('1 recovery recovery burn_rate:3600:300')
  })
})

test('a status that gets worse is still notified as a warning and as a violation', async () => {
  for (const alert_type of ['warning', 'violation']) await selectorRule({ alert_type })
  expect(await world.minute(warning)).toEqual(['1 alert warning status'])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(critical)).toEqual([])
})

test('the minimum interval of a rule with a selector is for each SLO', async () => {
  const { body } = await world.post('/slos', { ...checkout, name: 'Search' })
  const search = { sloId: body.id, sloUpdatedAtMs: Date.parse(body.updated_at) }
  await selectorRule({ min_interval_seconds: 3600 })
  const page = '1 alert burn_rate_too_fast burn_rate:3600:300'
  expect(await world.minute({ ...healthy, ...tiers({ 1: true }) })).toEqual([page])
  expect(await world.minute({ ...healthy, ...search, ...tiers({ 1: true }) })).toEqual([page])
  await world.minute(healthy)
  expect(await world.minute({ ...healthy, ...tiers({ 1: true }) })).toEqual([`${page} throttled`])
})

describe('the priority of a rule', () => {
  test.each([
    [{}, 'critical'],
    [{ priority: 'auto' }, 'critical'],
    [{ priority: 'low' }, 'low'],
  ])('%j gives a page %p', async (change, priority) => {
    await selectorRule(change)
    await world.minute({ ...healthy, ...tiers({ 1: true }) })
    expect((await priorities()).map(([one]) => one)).toEqual([priority] as never)
  })

  test('that is auto gives conditions, warnings and a critical status theirs', async () => {
    for (const alert_type of ['warning', 'violation', 'error_budget_low']) await selectorRule({ alert_type })
    await world.minute({ ...warning, budgetUsed: 60 })
    await world.minute({ ...critical, budgetUsed: 60 })
    const of = (await world.outbox()).map(({ alert_type, priority }) => [alert_type, priority])
    expect(of).toEqual([
      ['warning', 'medium'],
      ['error_budget_low', 'medium'],
      ['violation', 'high'],
    ])
  })
})
