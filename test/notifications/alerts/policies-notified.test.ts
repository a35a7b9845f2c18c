import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting, critical, healthy } from './alerting.ts'

const freeze = { percent_left: 95, text: 'Freeze of risky deploys', url: '' }
const stop = { percent_left: 92, text: 'Only fixes are deployed', url: '' }
const usedPercent = { budgetUsed: 10 } // 90 % is left

let world: Alerting
beforeEach(async () => {
  world = await alerting()
  await world.put('/organization/teams/1', { budget_policy: [freeze] })
})
afterEach(() => world.close())

const lastSent = async () => {
  const { message = '', metadata } = (await world.outbox()).at(-1) ?? {}
  return { message, policy: JSON.parse(metadata ?? '{}').policy }
}

test('an alert and its recovery say the policy of the team, and that it is the one of the team', async () => {
  await world.rule('violation')
  for (const found of [critical, healthy]) {
    await world.minute({ ...found, ...usedPercent })
    const { message, policy } = await lastSent()
    expect(policy).toEqual({ ...freeze, source: 'team' })
    expect(message).toContain('Policy of the team at 95 %: Freeze of risky deploys')
  }
})

test('an alert of an SLO with a policy of its own says that one', async () => {
  await world.put('/slos/1', { budget_policy: [stop] })
  await world.rule('violation')
  await world.minute({ ...critical, ...usedPercent })
  const { message, policy } = await lastSent()
  expect(policy).toEqual({ ...stop, source: 'slo' })
  expect(message).toContain('Policy at 92 %: Only fixes are deployed')
})

test('a message by hand, and a recovery after a notification was sent again, say the policy of the team', async () => {
  await world.minute({ ...healthy, ...usedPercent })
  const manual = { alert_type: 'manual', subject: 'Look', message: 'Now: {{policy}}' }
  await world.post('/notifications/rules', { slo_id: 1, channel_id: 1, ...manual })
  expect((await lastSent()).message).toBe('Now: Freeze of risky deploys')
  await world.rule('violation')
  await world.minute({ ...critical, ...usedPercent })
  const { id = 0 } = (await world.outbox()).at(-1) ?? {}
  await world.settle('failed')
  await world.minute({ ...healthy, ...usedPercent })
  await world.post(`/notifications/${id}/resend`, {})
  const { message, policy } = await lastSent()
  expect(policy).toEqual({ ...freeze, source: 'team' })
  expect(message).toContain('Policy of the team at 95 %')
})
