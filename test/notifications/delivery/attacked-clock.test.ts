import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { type Alerting, alerting, critical, healthy } from '../alerts/alerting.ts'
import { deliveryWorld, type DeliveryWorld, refusing, subjectsAt } from './delivery-world.ts'

const dayMs = 86_400_000

describe('when the clock was ahead by a day and is set back', () => {
  let on: Alerting | null = null
  afterEach(async () => {
    await on?.close()
    on = null
  })

  test('an evaluation counts at once: the alert ends, and the next one is notified', async () => {
    on = await alerting()
    await on.rule('violation', { min_interval_seconds: 3600 })
    on.nines.clock.advance(dayMs)
    const ahead = { atSeconds: Math.floor(on.nines.clock.now() / 1000) }
    expect(await on.minute({ ...critical, ...ahead })).toEqual(['1 alert violation status'])
    on.nines.clock.advance(-dayMs)
    expect(await on.minute(healthy)).toEqual(['1 recovery recovery status'])
    expect(await on.minute(critical)).toEqual(['1 alert violation status'])
  })
})

describe.each([-40 * 24, -24, -1, -0.1, 1, 24, 40 * 24])('when the clock is set by %p h while nines runs', (hours) => {
  let world: DeliveryWorld
  afterEach(async () => {
    await world.nines.close()
    closeAll()
  })

  test.each([
    ['its retry', refusing(503), 10_000],
    ['the Retry-After of its receiver', refusing(429, { 'retry-after': '900' }), 900_000],
  ])('a notification waits for %s as long as it would have', async (_, answer, waitMs) => {
    world = await deliveryWorld()
    const { clock } = world.nines
    const channel = await world.channel()
    channel.receiver.next(answer)
    await world.queue(channel.id, ['first'])
    await world.delivery.run()
    clock.jump(hours * 3_600_000)
    clock.advance(waitMs - 1)
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['first'])
    clock.advance(1)
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['first', 'first'])
  })
})

test('a notification whose clock was set back by minutes while nines did not run does not wait for its retry', async () => {
  const world = await deliveryWorld()
  const channel = await world.channel()
  channel.receiver.next(refusing(503))
  await world.queue(channel.id, ['first'])
  await world.delivery.run()
  world.nines.clock.jump(-300_000)
  await world.restarted().run()
  expect(subjectsAt(channel)).toEqual(['first', 'first'])
  await world.nines.close()
  closeAll()
})
