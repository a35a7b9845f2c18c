import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { endOrphanedAlerts } from '../../../src/notifications/alerts/raise-alerts.ts'
import { putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { evaluation, failure, testStartSeconds } from '../../support/evaluations.ts'
import { type Alerting, alerting, critical, healthy, tiers, unknown, warning } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

describe('the status of an SLO', () => {
  test.each(['violation', 'slo_below_target'])('that falls raises one alert for a rule of %s', async (alertType) => {
    await world.rule(alertType)
    expect(await world.minute(healthy)).toEqual([])
    expect(await world.minute(critical)).toEqual([`1 alert ${alertType} status`])
    expect(await world.minutes(3, critical)).toEqual([])
    expect(await world.alerts()).toMatchObject([{ name: 'status', severity: 'critical', ended_at: null }])
  })

  test('that recovers is notified to the channel that was notified of the fall, once, and to no other', async () => {
    await world.rule('slo_below_target')
    await world.rule('warning', { channel_id: 2 })
    await world.minute(critical)
    expect(await world.minute(healthy)).toEqual(['1 recovery slo_recovery status'])
    expect(await world.minutes(2, healthy)).toEqual([])
    const [alert] = await world.alerts()
    expect((alert?.ended_at ?? 0) - (alert?.began_at ?? 0)).toBe(60)
  })

  test('that gets worse is notified by the rule for that, and both channels are notified of the recovery', async () => {
    await world.rule('warning')
    await world.rule('violation', { channel_id: 2 })
    expect(await world.minute(warning)).toEqual(['1 alert warning status'])
    expect(await world.minute(critical)).toEqual(['2 alert violation status'])
    expect(await world.minute(warning)).toEqual([])
    expect(await world.minute(critical)).toEqual([])
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status', '2 recovery recovery status'])
    expect(await world.alerts()).toHaveLength(1)
  })

  test('that falls with a check that has just failed is dated to that check, not to the minute before', async () => {
    await world.minute({ ...critical, currentMinute: { coveredSeconds: 20, good: 0, total: 20 } })
    const [alert] = await world.alerts()
    expect(alert?.began_at).toBe(testStartSeconds + 80)
  })

  test('that is not known neither begins nor ends anything', async () => {
    await world.rule('violation')
    expect(await world.minutes(2, unknown)).toEqual([])
    await world.minute(critical)
    expect(await world.minutes(3, unknown)).toEqual([])
    expect(await world.minute(critical)).toEqual([])
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  })

  test('notifies nobody where no rule is in force', async () => {
    const rule = await world.rule('violation')
    await world.rule('violation', { channel_id: 2 })
    await world.put(`/notifications/rules/${rule}`, { enabled: false })
    await world.put('/notifications/channels/2', { enabled: false })
    expect(await world.minute(critical)).toEqual([])
    expect(await world.minute(healthy)).toEqual([])
    expect(await world.alerts()).toHaveLength(1)
  })

  test('whose alert could not be delivered is notified again half an hour later, if it still lasts', async () => {
    await world.rule('violation')
    await world.minute(critical)
    await world.settle('failed')
    expect(await world.minutes(29, critical)).toEqual([])
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
    expect(await world.minutes(2, critical)).toEqual([])
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  })

  test('is notified by a rule that is made while it lasts', async () => {
    await world.minute(critical)
    await world.rule('violation')
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  })
})

test('a source that gives no answer leaves every alert as it is', async () => {
  await world.rule('violation')
  await world.rule('burn_rate_too_fast', { channel_id: 2 })
  await world.minute({ ...critical, ...tiers({ 1: true }) })
  expect(await world.minutes(3, failure({ ...tiers({}) }))).toEqual([])
  expect((await world.alerts()).filter(({ ended_at }) => ended_at === null)).toHaveLength(2)
})

test('an evaluation that an edit has overtaken raises nothing', async () => {
  await world.rule('violation')
  expect(await world.minute({ ...critical, sloUpdatedAtMs: 1 })).toEqual([])
  expect(await world.alerts()).toEqual([])
})

test('an evaluation that one of a later minute has overtaken raises nothing', async () => {
  await world.rule('violation')
  await world.minutes(2, healthy)
  const evaluatedAtMs = (testStartSeconds + 180) * 1000 + 1234 // of the minute that follows, as the clock of a test stands still
  await world.minute(healthy)
  expect(await world.minute({ ...critical, atSeconds: testStartSeconds + 60, evaluatedAtMs })).toEqual([])
  expect(await world.alerts()).toEqual([])
})

test('an evaluation, its alerts and their notifications are there all or not at all', async () => {
  await world.rule('violation')
  const { db } = world.nines.app
  const found = [evaluation(critical)]
  const cutShort = db.write.transaction().execute(async (trx) => {
    await putEvaluations(trx, found)
    await world.nines.app.alertRaiser.raiseAlerts(trx, found)
    throw new Error('cut short')
  })
  await expect(cutShort).rejects.toThrow('cut short')
  expect(await world.alerts()).toEqual([])
  expect(await world.outbox()).toEqual([])
  expect(await db.read.selectFrom('slo_states').selectAll().execute()).toEqual([])
})

test('the alerts of a deleted SLO end, and channels that were notified of them are notified of that', async () => {
  await world.rule('violation')
  await world.minute(critical)
  await world.nines.call('DELETE', '/api/v1/slos/1')
  world.nines.clock.advance(10_000)
  const before = (await world.outbox()).length
  await endOrphanedAlerts(world.nines.app)
  await endOrphanedAlerts(world.nines.app)
  expect((await world.outbox()).slice(before)).toMatchObject([{ event: 'recovery', channel_id: 1 }])
  expect((await world.alerts())[0]?.ended_at).not.toBeNull()
})

describe('a recovery', () => {
  test('has the texts of the rule for it, whose channel is notified too without the fall', async () => {
    await world.rule('violation')
    for (const channel_id of [1, 2])
      await world.rule('recovery', { channel_id, subject: 'well again', priority: 'low' })
    await world.minute(critical)
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status', '2 recovery recovery status'])
    const [, ...recoveries] = await world.outbox()
    expect(recoveries).toMatchObject([
      { subject: 'well again', priority: 'low' },
      { subject: 'well again', priority: 'low' },
    ])
  })

  test('is not notified for what never arrived', async () => {
    await world.rule('violation')
    await world.minute(critical)
    await world.settle('failed')
    expect(await world.minute(healthy)).toEqual([])
  })

  test('is notified although the rule was deleted by then', async () => {
    const rule = await world.rule('violation')
    await world.minute(critical)
    await world.nines.call('DELETE', `/api/v1/notifications/rules/${rule}`)
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  })
})

describe('the thresholds of the budget', () => {
  test('are notified one after the other as it is spent, and each as it is regained', async () => {
    await world.rule('error_budget_low')
    await world.rule('error_budget_exhausted', { channel_id: 2 })
    const spent: [number, string[]][] = [
      [49, []],
      [50, ['1 alert error_budget_low budget:50']],
      [74, []],
      [76, ['1 alert error_budget_low budget:25']],
      [100, ['1 alert error_budget_low budget:10', '2 alert error_budget_exhausted budget:0']],
      [250, []],
      // recovered, but not by enough to notify
      [99, []],
      [97, ['2 recovery recovery budget:0']],
      [80, ['1 recovery recovery budget:10']],
      [30, ['1 recovery recovery budget:25', '1 recovery recovery budget:50']],
    ]
    for (const [budgetUsed, told] of spent)
      expect([budgetUsed, (await world.minute({ budgetUsed })).toSorted()]).toEqual([budgetUsed, told])
  })

  test('that are passed at once are notified as the lowest of them, and none on the way up', async () => {
    await world.rule('error_budget_low')
    await world.rule('error_budget_exhausted')
    expect(await world.minute({ budgetUsed: 300 })).toEqual(['1 alert error_budget_exhausted budget:0'])
    expect(await world.minute({ budgetUsed: 95 })).toEqual(['1 recovery recovery budget:0'])
    expect(await world.minutes(3, { budgetUsed: 70 })).toEqual([])
    expect(await world.minute({ budgetUsed: 10 })).toEqual([])
  })

  test('are those of the budget of the window, which the message names', async () => {
    await world.rule('error_budget_low')
    expect(await world.minute({ budgetUsed: 5000, windowShare: 0.0001 })).toEqual([])
    expect(await world.minute({ budgetUsed: 5000, windowShare: 0.0149 })).toEqual([
      '1 alert error_budget_low budget:50',
    ])
    const [sent] = await world.outbox()
    expect(sent?.subject).toBe('Warning: Checkout has 26 % of its error budget left')
    expect(sent?.message).toContain('Error budget of 30 d: 26 % left.')
    expect(JSON.parse(sent?.metadata ?? '')).toMatchObject({
      error_budget_used: 74.5,
      error_budget_remaining: 25.5,
      error_budget_estimated: true,
    })
  })

  test('stay as they are while the past is being filled in', async () => {
    await world.rule('error_budget_low')
    expect(await world.minute({ budgetUsed: 60 })).toEqual(['1 alert error_budget_low budget:50'])
    expect(await world.minutes(2, { budgetUsed: 0, windowShare: null })).toEqual([])
    expect(await world.minute({ budgetUsed: 0 })).toEqual(['1 recovery recovery budget:50'])
  })

  test('are told to whoever asked for the higher ones only', async () => {
    await world.rule('error_budget_low')
    expect(await world.minute({ budgetUsed: 300 })).toEqual(['1 alert error_budget_low budget:10'])
  })
})

describe('burn rates', () => {
  test('are notified by the fastest tier alone, and an outage brings no other', async () => {
    await world.rule('burn_rate_too_fast')
    expect(await world.minute(tiers({ 1: true }))).toEqual(['1 alert burn_rate_too_fast burn_rate:3600:300'])
    expect(await world.minutes(5, tiers({ 1: true, 6: true, 24: true, 72: true }))).toEqual([])
    expect(await world.minute(tiers({ 6: true, 24: true, 72: true }))).toEqual([
      '1 recovery recovery burn_rate:3600:300',
    ])
    expect(await world.minutes(29, tiers({ 6: true, 24: true, 72: true }))).toEqual([])
    expect(await world.minutes(89, tiers({ 24: true, 72: true }))).toEqual([])
    expect(await world.minutes(239, tiers({ 72: true }))).toEqual([])
    expect(await world.minute(tiers({}))).toEqual([])
  })

  test('are notified by a slower tier once it burns on after the faster one', async () => {
    await world.rule('burn_rate_too_fast')
    await world.minutes(3, tiers({ 1: true, 6: true }))
    expect(await world.minutes(30, tiers({ 6: true }))).toEqual(['1 recovery recovery burn_rate:3600:300'])
    expect(await world.minute(tiers({ 6: true }))).toEqual(['1 alert burn_rate_too_fast burn_rate:21600:1800'])
    expect(await world.minute(tiers({}))).toEqual(['1 recovery recovery burn_rate:21600:1800'])
  })

  test('are notified again by a page after a ticket, but not by a faster page, and end once', async () => {
    await world.rule('burn_rate_too_fast')
    expect(await world.minute(tiers({ 24: true }))).toEqual(['1 alert burn_rate_too_fast burn_rate:86400:7200'])
    expect(await world.minute(tiers({ 6: true, 24: true }))).toEqual([
      '1 alert burn_rate_too_fast burn_rate:21600:1800',
    ])
    expect(await world.minute(tiers({ 1: true, 6: true, 24: true }))).toEqual([])
    expect(await world.minute(tiers({}))).toEqual(['1 recovery recovery burn_rate:21600:1800'])
  })

  test('of tickets are notified by a rule for tickets, unless a page is notified', async () => {
    await world.rule('burn_rate_too_fast', { severity: 'ticket' })
    expect(await world.minute(tiers({ 1: true, 24: true }))).toEqual([
      '1 alert burn_rate_too_fast burn_rate:86400:7200',
    ])
    await world.minute(tiers({}))
    await world.rule('burn_rate_too_fast', { channel_id: 2, severity: 'page' })
    expect(await world.minute(tiers({ 1: true, 24: true }))).toEqual(['2 alert burn_rate_too_fast burn_rate:3600:300'])
  })

  test('of a tier keep the highest burn rate that it had while it fired', async () => {
    const burning = (long: number, firing: boolean | null) => ({
      burnRates: tiers({ 1: firing }).burnRates.map((rate) => (rate.factor === 14.4 ? { ...rate, long } : rate)),
    })
    const peak = async () =>
      (await world.nines.app.db.read.selectFrom('alerts').select('peak_burn_rate').executeTakeFirst())?.peak_burn_rate
    const seen = []
    for (const [long, firing] of [
      [15, true],
      [41, true],
      [30, true],
      [99, null],
      [1, false],
    ] as const) {
      await world.minute(burning(long, firing))
      seen.push(await peak())
    }
    expect(seen).toEqual([15, 41, 41, 41, 41])
  })

  test('that are not known leave the tier as it is; a tier that was switched off ends', async () => {
    await world.rule('burn_rate_too_fast')
    await world.minute(tiers({ 1: true }))
    expect(await world.minutes(2, tiers({ 1: null }))).toEqual([])
    expect(await world.minute({ burnRates: [] })).toEqual(['1 recovery recovery burn_rate:3600:300'])
  })
})
