import { afterEach, describe, expect, test } from 'bun:test'
import { createDelivery } from '../../../src/notifications/delivery/delivery.ts'
import { tiers } from '../alerts/alerting.ts'
import { startPagerDuty, routingKey } from '../../support/receivers/pagerduty.ts'
import { startReceiver } from '../../support/receiver.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { chunkSize, ids, listOf, named, type Storm, storm } from './storm-world.ts'

let world: Storm
afterEach(async () => {
  await closeAll()
  await world.close()
})

const deliveryOf = ({ nines }: Storm) => createDelivery({ ...nines.app, instanceId: 'test', random: () => 1 })

describe('500 SLOs that fail at once', () => {
  test('are at most ten openings, and each is named in one of them; their ends likewise', async () => {
    world = await storm(500)
    await world.fail(ids(1, chunkSize))
    world.wait(24) // the second chunk of a round begins half a minute later
    await world.fail(ids(chunkSize + 1, 500))
    world.wait(36)
    for (const chunk of [ids(1, chunkSize), ids(chunkSize + 1, 500)]) await world.fail(chunk)
    const openings = await world.rows()
    expect(openings.map(({ subject }) => subject.split(':')[0])).toEqual([
      ...ids(1, 8).map((id) => `site-${id} is down since 09`),
      '492 more SLOs are down',
    ])
    expect(openings.flatMap(named).toSorted()).toEqual(
      ids(1, 500)
        .map((id) => `site-${id}`)
        .toSorted(),
    )
    expect(new Set(openings.map(({ idempotency_key }) => idempotency_key)).size).toBe(9)
    for (const id of ids(9, 500)) expect(openings[8]?.message).toContain(`site-${id}`)

    world.wait(60)
    await world.recover(ids(1, chunkSize))
    await world.recover(ids(chunkSize + 1, 480))
    const ends = (await world.rows()).slice(openings.length)
    expect(ends.flatMap(named).toSorted()).toEqual(
      ids(1, 480)
        .map((id) => `site-${id}`)
        .toSorted(),
    )
    expect(ends).toHaveLength(9)
    expect(ends[8]?.subject).toStartWith('472 of 492 SLOs are up again: site-9, ')
    expect(ends.every(({ event }) => event === 'recovery')).toBe(true)
  }, 60_000)
})

describe('a list', () => {
  test('takes further incidents until it is sent, and none afterwards', async () => {
    world = await storm(20)
    await world.fail(ids(1, 10))
    world.wait(29)
    await world.fail(ids(11, 12))
    world.wait(1)
    await world.fail(ids(13, 14))
    const lists = (await world.rows()).filter((row) => listOf(row))
    expect(lists.map(named)).toEqual([ids(9, 12), ids(13, 14)].map((some) => some.map((id) => `site-${id}`)))
    expect(lists.map(({ next_attempt_at, created_at }) => next_attempt_at - created_at)).toEqual([30_000, 30_000])
  })

  test('counts as a notification of each of its incidents and alerts', async () => {
    world = await storm(10)
    await world.fail(ids(1, 10))
    const { body } = await world.nines.call('GET', '/api/v1/notifications/alerts?slo_id=10&include=notifications')
    expect(body.alerts).toEqual([
      expect.objectContaining({ name: 'down', notified: 1, notifications: [expect.objectContaining({ id: 9 })] }),
    ])
    const { incidents } = (await world.nines.call('GET', '/api/v1/incidents')).body
    expect(incidents.map(({ notified }: { notified: number }) => notified)).toEqual(incidents.map(() => 1))
    const { data } = (await world.nines.call('GET', `/api/v1/incidents/${incidents[0].id}`)).body
    expect(data.notifications).toHaveLength(1)
    expect(data.not_notified).toEqual([])
  })

  test('that was claimed for delivery keeps its content, also where the clock is set back afterwards', async () => {
    const receiver = startReceiver(() => new Response('ok'))
    closeLater(() => void receiver.close())
    world = await storm(20, { channel_type: 'webhook', configuration: { webhook_url: receiver.url } })
    await world.fail(ids(1, 10))
    world.wait(30)
    await world.nines.app.db.write
      .updateTable('notifications')
      .set({ status: 'pending', updated_at: world.nines.clock.now() })
      .execute() // as after a kill while it was sent
    world.nines.clock.jump(-25_000)
    await world.fail(ids(11, 12))
    expect((await world.rows()).map(named).at(8)).toEqual(['site-9', 'site-10'])
  })

  test('has one key at its receiver, waits for its time, and says all it gathered', async () => {
    const receiver = startReceiver(() => new Response('ok'))
    closeLater(() => void receiver.close())
    world = await storm(20, { channel_type: 'webhook', configuration: { webhook_url: receiver.url } })
    const delivery = deliveryOf(world)
    await world.fail(ids(1, 12))
    await delivery.run()
    expect(receiver.received).toHaveLength(8)
    world.wait(20)
    await world.fail(ids(13, 20))
    world.wait(10)
    await delivery.run()
    expect(receiver.received).toHaveLength(9)
    const { json, headers } = receiver.received[8] ?? {}
    expect(json).toMatchObject({ event: 'alert', slo: null, incident: null, links: { slo: null } })
    expect(json.subject).toStartWith('12 more SLOs are down: site-9, site-10, ')
    expect(json.message).toEndWith('site-19, site-20')
    expect(json.incidents).toHaveLength(12)
    expect(json.incidents[0]).toMatchObject({ event: 'opened', severity: 'critical', slo_name: 'site-9' })
    expect(headers?.get('idempotency-key')).toBe((await world.rows())[8]?.idempotency_key ?? '')
    await delivery.drain()
  })

  test('is of one severity: a critical incident is in no list of others', async () => {
    world = await storm(24)
    await world.evaluate(ids(1, 8), tiers({ 72: true }))
    await world.evaluate(ids(9, 12), tiers({ 24: true }))
    await world.fail(ids(13, 16))
    await world.evaluate(ids(17, 20), tiers({ 1: true }))
    const lists = (await world.rows()).filter((row) => listOf(row))
    expect(lists.map(({ subject }) => subject.split(':')[0])).toEqual([
      '4 more SLOs are burning',
      '8 more SLOs are down or burning fast',
    ])
  })

  test('is lost with the transaction that wrote it, and written again by the next evaluation', async () => {
    world = await storm(12)
    const { write } = world.nines.app.db
    const before = await world.rows()
    const { alertRaiser } = world.nines.app
    const raise = alertRaiser.raiseAlerts
    alertRaiser.raiseAlerts = async (trx, evaluations) => {
      await raise(trx, evaluations)
      throw new Error('killed')
    }
    expect(await world.fail(ids(1, 12)).catch((error: Error) => error.message)).toBe('killed')
    alertRaiser.raiseAlerts = raise
    expect(await world.rows()).toEqual(before)
    expect(await write.selectFrom('notification_incidents').selectAll().execute()).toEqual([])
    await world.fail(ids(1, 12))
    await world.fail(ids(1, 12))
    expect((await world.rows()).flatMap(named)).toEqual(ids(1, 12).map((id) => `site-${id}`))
  })

  test('that failed for good is notified again half an hour later', async () => {
    world = await storm(10)
    await world.fail(ids(1, 10))
    await world.nines.app.db.write
      .updateTable('notifications')
      .set({ status: 'failed', updated_at: world.nines.clock.now() })
      .execute()
    world.wait(29 * 60)
    await world.fail(ids(1, 10))
    expect(await world.rows()).toHaveLength(9)
    world.wait(60)
    await world.fail(ids(1, 10))
    expect((await world.rows()).slice(9).flatMap(named)).toEqual(ids(1, 10).map((id) => `site-${id}`))
  })

  test('at an incident tool is one incident, which ends once all of its SLOs are up', async () => {
    const receiver = startPagerDuty()
    closeLater(() => void receiver.close())
    const configuration = { routing_key: routingKey, api_url: receiver.url }
    world = await storm(12, { channel_type: 'incident_a', configuration })
    const delivery = deliveryOf(world)
    const deliver = async () => {
      world.wait(30)
      await delivery.run()
    }
    await world.fail(ids(1, 12))
    await deliver()
    await deliver()
    expect(receiver.opened).toHaveLength(9)
    await world.recover(ids(1, 11))
    await deliver()
    expect(receiver.open()).toEqual([expect.stringContaining('-list-')])
    await world.recover(ids(1, 12))
    await world.recover(ids(1, 12))
    await deliver()
    expect(receiver.open()).toEqual([])
    expect((await world.rows()).filter((row) => row.event === 'recovery' && listOf(row))).toHaveLength(1)
    await delivery.drain()
  })

  test('at an incident tool ends the lower severity of an incident that rises in a list, after that', async () => {
    const receiver = startPagerDuty()
    closeLater(() => void receiver.close())
    const configuration = { routing_key: routingKey, api_url: receiver.url }
    world = await storm(12, { channel_type: 'incident_a', configuration })
    const delivery = deliveryOf(world)
    await world.evaluate(ids(1, 8), tiers({ 24: true }))
    await delivery.run()
    const warnings = receiver.open()
    expect(warnings).toHaveLength(8)
    world.wait(60)
    await world.fail(ids(1, 12))
    await delivery.run()
    expect(receiver.open()).toEqual(warnings) // the list is gathered, and their ends wait for it
    world.wait(30)
    await delivery.run()
    expect(receiver.open()).toEqual([expect.stringContaining('-list-')])
    await delivery.drain()
  })
})

test('after two quiet minutes incidents are sent one by one again', async () => {
  world = await storm(12)
  await world.fail(ids(1, 9))
  world.wait(121)
  await world.fail(ids(10, 12))
  expect((await world.rows()).map((row) => named(row).length)).toEqual([...Array<number>(8).fill(1), 1, 1, 1, 1])
  expect((await world.rows()).filter((row) => listOf(row))).toHaveLength(1)
})
