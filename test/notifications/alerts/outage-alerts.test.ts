import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Outage } from '../../../src/evaluation/outage.ts'
import { type Alerting, alerting, critical, healthy, tiers, warning } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const startSeconds = 1_795_255_200
const outage = (change: Partial<Outage> = {}): { outage: Outage } => ({
  outage: { isDown: true, isUnconfirmed: false, sinceSeconds: startSeconds + 70, reason: 'HTTP 503', ...change },
})
const up = outage({ isDown: false, sinceSeconds: startSeconds + 130 })

describe('an outage', () => {
  test('is one alert with its reason, from the first failed check to the first good one', async () => {
    await world.rule('violation')
    expect(await world.minute({ ...healthy, ...outage() })).toEqual(['1 alert violation down'])
    expect(await world.minute({ ...critical, ...outage() })).toEqual([])
    expect(await world.minute({ ...critical, ...up })).toEqual(['1 recovery recovery down'])
    expect((await world.alerts()).find(({ name }) => name === 'down')).toMatchObject({
      severity: 'critical',
      reason: 'HTTP 503',
      began_at: startSeconds + 70,
      ended_at: startSeconds + 130,
    })
  })

  test('inhibits status, tiers and thresholds of its SLO, and afterwards while their windows reach into it', async () => {
    for (const type of ['violation', 'warning', 'burn_rate_too_fast', 'error_budget_exhausted']) await world.rule(type)
    const spent = { ...critical, budgetUsed: 300, ...tiers({ 1: true }) }
    expect(await world.minute({ ...spent, ...outage() })).toEqual(['1 alert violation down'])
    expect(await world.minutes(2, { ...spent, ...outage() })).toEqual([])
    expect(await world.minute({ ...spent, ...up })).toEqual(['1 recovery recovery down'])
    expect(
      await world.minutes(3, { ...spent, ...outage({ isDown: false, sinceSeconds: startSeconds + 130 }) }),
    ).toEqual([])
  })

  test('inhibits nothing on a channel that is not notified of it', async () => {
    await world.rule('violation')
    await world.rule('burn_rate_too_fast', { channel_id: 2 })
    expect(await world.minute({ ...critical, ...tiers({ 1: true }), ...outage() })).toEqual([
      '1 alert violation down',
      '2 alert burn_rate_too_fast burn_rate:3600:300',
    ])
  })

  test('that is over inhibits tiers also on a channel that was not notified of it', async () => {
    await world.rule('burn_rate_too_fast')
    const fires = tiers({ 6: true })
    expect(await world.minute({ ...critical, ...outage() })).toEqual([])
    expect(await world.minute({ ...critical, ...up })).toEqual([])
    expect(await world.minutes(3, { ...critical, ...fires, ...up })).toEqual([])
    expect(await world.minute({ ...critical, ...fires, outage: null })).toEqual([])
  })

  test('has its end notified once, also by a rule for recoveries, which the status then leaves out', async () => {
    await world.rule('violation')
    await world.rule('recovery')
    await world.minute({ ...critical, ...outage() })
    expect(await world.minute({ ...critical, ...up })).toEqual(['1 recovery recovery down'])
    expect(await world.minute({ ...warning, ...up })).toEqual([])
    expect(await world.minute({ ...healthy, ...up })).toEqual([])
  })

  test('that is not known yet, or not confirmed, neither begins nor ends anything', async () => {
    for (const type of ['violation', 'warning']) await world.rule(type)
    expect(await world.minute({ ...critical, ...outage({ isDown: false, isUnconfirmed: true }) })).toEqual([])
    expect(await world.minute({ ...critical, ...outage() })).toEqual(['1 alert violation down'])
    expect(await world.minutes(2, { ...healthy, ...outage({ isDown: null, sinceSeconds: null }) })).toEqual([])
    expect(await world.minute({ ...healthy, ...up })).toEqual(['1 recovery recovery down'])
  })

  test('of an SLO that no longer reads a probe ends, and is not said to be over', async () => {
    await world.rule('violation')
    await world.minute({ ...critical, ...outage() })
    expect(await world.minute({ ...healthy, outage: null })).toEqual(['1 recovery recovery down'])
    expect((await world.outbox()).at(-1)?.subject).toContain('and is not known to be up: it is not checked now')
  })
})
