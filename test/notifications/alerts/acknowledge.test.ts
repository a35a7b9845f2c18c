import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Role } from '../../../src/role.ts'
import { invited } from '../../support/people.ts'
import { type Alerting, alerting, critical, healthy, testStartMs, tiers, warning } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const path = (id: number) => `/api/v1/notifications/alerts/${id}/acknowledge`
const acknowledge = (id: number, body: object = {}, options = {}) => world.nines.call('POST', path(id), body, options)
const withdraw = (id: number, options = {}) => world.nines.call('DELETE', path(id), undefined, options)
const read = async (id: number) => (await world.nines.call('GET', `/api/v1/notifications/alerts/${id}`)).body.data
const audit = async () => {
  const { entries } = (await world.nines.call('GET', '/api/v1/audit-log')).body
  return entries
    .filter(({ event }: { event: string }) => event.includes('acknowledge'))
    .map(({ event, user_id, details }: Record<string, unknown>) => ({ event, user_id, details }))
    .toReversed()
}
const someone = (name: string, role: Role) =>
  invited(world.nines, { id: 1, token: world.ada, email: 'ada@example.com' }, name, role)
const halfAnHourMs = 30 * 60_000

describe('an acknowledgement', () => {
  test('has who, when and the note, wherever the alert is shown', async () => {
    await world.minute(critical)
    const { status, body } = await acknowledge(1, { note: '  rolling back ' })
    const acknowledged = { by: 'ada', at: new Date(testStartMs + 60_000).toISOString(), note: 'rolling back' }
    expect([status, body.data]).toMatchObject([200, { id: 1, state: 'firing', acknowledged, notifications: [] }])
    const list = (await world.nines.call('GET', '/api/v1/notifications/alerts')).body.alerts
    expect(list).toMatchObject([{ id: 1, acknowledged }])
    const { slos } = (await world.nines.call('GET', '/api/v1/slos/overview')).body
    expect(slos[0].firing).toMatchObject([{ alert_id: 1, acknowledged: true }])
    world.nines.clock.advance(60_000)
    const timeline = (await world.nines.call('GET', '/api/v1/slos/1/timeline')).body
    expect(timeline.alerts).toMatchObject([{ id: 1, acknowledged_at: acknowledged.at, acknowledged_by: 'ada' }])
    const all = (await world.nines.call('GET', '/api/v1/notifications/alerts/timeline')).body
    expect(all.alerts).toMatchObject([{ id: 1, acknowledged_at: acknowledged.at }])
  })

  test('is the first one; a later note takes the place of the one there is, none leaves it', async () => {
    const bob = await someone('bob', 'member')
    await world.minute(critical)
    const { acknowledged } = (await acknowledge(1, { note: 'mine' })).body.data
    world.nines.clock.advance(60_000)
    expect((await acknowledge(1, {}, bob)).body.data.acknowledged).toEqual(acknowledged)
    const noted = { ...acknowledged, note: 'found it' }
    expect((await acknowledge(1, { note: 'found it' }, bob)).body.data.acknowledged).toEqual(noted)
    await acknowledge(1, { note: 'found it' })
    expect((await acknowledge(1, { note: '' })).body.data.acknowledged).toEqual({ ...acknowledged, note: '' })
    const details = { alert_id: 1, slo_id: 1, name: 'status' }
    expect(await audit()).toEqual([
      { event: 'alert_acknowledged', user_id: 1, details },
      { event: 'acknowledgement_changed', user_id: bob.id, details },
      { event: 'acknowledgement_changed', user_id: 1, details },
    ])
  })

  test('is taken back, once', async () => {
    await world.minute(critical)
    await acknowledge(1, { note: 'mine' })
    const { status, body } = await withdraw(1)
    expect([status, body.data.acknowledged]).toEqual([200, null])
    expect((await withdraw(1)).status).toBe(200)
    expect((await audit()).map(({ event }: { event: string }) => event)).toEqual([
      'alert_acknowledged',
      'acknowledgement_withdrawn',
    ])
    expect((await acknowledge(1)).body.data.acknowledged).toMatchObject({ note: '' })
  })

  test('stays with an alert that has ended, and cannot be changed any more', async () => {
    await world.minute(critical)
    await acknowledge(1, { note: 'mine' })
    await world.minute(healthy)
    expect((await read(1)).acknowledged).toMatchObject({ by: 'ada', note: 'mine' })
    for (const answer of [await acknowledge(1, { note: 'x' }), await withdraw(1)]) {
      expect([answer.status, answer.body.error]).toEqual([409, 'Alert has ended'])
    }
    expect((await read(1)).acknowledged.note).toBe('mine')
  })

  test('is refused to viewers, and of an alert that is not there or of somebody else', async () => {
    const viewer = await someone('vic', 'viewer')
    const stranger = await world.nines.join('eve')
    await world.minute(critical)
    for (const refused of [await acknowledge(1, {}, viewer), await withdraw(1, viewer)]) {
      expect(refused.status).toBe(403)
    }
    for (const unknown of [
      await acknowledge(1, {}, { token: stranger }),
      await withdraw(1, { token: stranger }),
      await acknowledge(9),
      await withdraw(9),
    ]) {
      expect([unknown.status, unknown.body.error]).toEqual([404, 'Alert not found'])
    }
    expect((await read(1)).acknowledged).toBeNull()
  })

  test.each([[{ note: 7 }], [{ note: 'a'.repeat(1001) }], [{ note: 'a\u0000' }], [[]]])(
    'of %j is refused',
    async (body) => {
      await world.minute(critical)
      const { status, body: said } = await acknowledge(1, body)
      expect([status, said.details]).toEqual([400, expect.stringMatching(/^(?:note|body): must be /)])
      expect((await read(1)).acknowledged).toBeNull()
    },
  )

  test('outlives who made it', async () => {
    const bob = await someone('bob', 'member')
    await world.minute(critical)
    await acknowledge(1, { note: 'mine' }, bob)
    expect((await world.nines.call('DELETE', `/api/v1/organization/users/${bob.id}`)).status).toBeLessThan(300)
    expect((await read(1)).acknowledged).toMatchObject({ by: 'bob', note: 'mine' })
  })
})

describe('of an alert that is acknowledged', () => {
  test('nobody is notified again after a failure, and all are once it is taken back', async () => {
    await world.rule('violation')
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
    await world.settle('failed')
    await acknowledge(1)
    world.nines.clock.advance(halfAnHourMs)
    expect(await world.minutes(3, critical)).toEqual([])
    await withdraw(1)
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  })

  test('a rule that is made later notifies nobody, and neither does a silence that ends', async () => {
    await world.post('/notifications/silences', { slo_id: 1, duration_seconds: 90, comment: 'x' })
    await world.rule('violation')
    expect(await world.minute(critical)).toEqual([])
    await acknowledge(1)
    await world.rule('violation', { channel_id: 2 })
    expect(await world.minutes(3, critical)).toEqual([])
  })

  test('the recovery is sent, with the acknowledgement', async () => {
    await world.rule('violation')
    await world.minute(critical)
    await world.settle('delivered')
    await acknowledge(1, { note: 'rolling back' })
    expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
    const last = (await world.outbox()).at(-1)
    expect(JSON.parse(last?.metadata ?? '').alert.acknowledged).toMatchObject({ by: 'ada', note: 'rolling back' })
    expect(last?.message).toContain('Acknowledged by ada, 2026-11-21 10:01 UTC: rolling back')
  })

  test('the same alert, once it comes again, is a new one', async () => {
    await world.rule('violation')
    await world.minute(critical)
    await acknowledge(1)
    await world.minute(healthy)
    world.nines.clock.advance(halfAnHourMs)
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
    expect((await read(2)).acknowledged).toBeNull()
  })

  test('a page is notified after a ticket, and the slower tier stays inhibited by it', async () => {
    await world.rule('burn_rate_too_fast')
    expect(await world.minute(tiers({ 24: true }))).toEqual(['1 alert burn_rate_too_fast burn_rate:86400:7200'])
    await acknowledge(1)
    expect(await world.minute(tiers({ 24: true, 1: true }))).toEqual(['1 alert burn_rate_too_fast burn_rate:3600:300'])
    await acknowledge(2)
    expect(await world.minutes(2, tiers({ 6: true, 1: true, 24: true }))).toEqual([])
  })

  test('a higher severity ends the acknowledgement, and is notified', async () => {
    await world.rule('warning')
    await world.rule('violation')
    expect(await world.minute(warning)).toEqual(['1 alert warning status'])
    await acknowledge(1)
    expect(await world.minute(warning)).toEqual([])
    expect(await world.minute(critical)).toEqual(['1 alert violation status'])
    expect(await read(1)).toMatchObject({ severity: 'critical', acknowledged: null })
  })
})

test('placeholders name who acknowledged, when, and the note', async () => {
  const message = '{{acknowledged_by}}|{{acknowledged_at}}|{{acknowledgement_note}}'
  await world.rule('violation', { message })
  await world.rule('recovery', { message })
  await world.minute(critical)
  await world.settle('delivered')
  await acknowledge(1, { note: 'rolling back' })
  await world.minute(healthy)
  expect((await world.outbox()).map(({ message }) => message)).toEqual([
    '||',
    'ada|2026-11-21T10:01:00.000Z|rolling back',
  ])
})

test('an acknowledgement without a body is one without a note', async () => {
  await world.minute(critical)
  const { status, body } = await world.nines.call('POST', path(1))
  expect([status, body.data?.acknowledged]).toMatchObject([200, { by: 'ada', note: '' }])
})
