import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { type Alerting, alerting, critical, healthy } from '../alerts/alerting.ts'
import { deliveryWorld, type DeliveryWorld, refusing, subjectsAt } from './delivery-world.ts'

const dayMs = 86_400_000

describe('when the clock was ahead by a day and is set back', () => {
  let world: DeliveryWorld | null = null
  let on: Alerting | null = null
  afterEach(async () => {
    await world?.nines.close()
    await on?.close()
    world = on = null
    closeAll()
  })

  test.each([
    ['waits for its retry', refusing(503)],
    ['waits as long as its receiver asked', refusing(429, { 'retry-after': '900' })],
  ])('a notification that %s does not wait for a day', async (_, answer) => {
    world = await deliveryWorld()
    const channel = await world.channel()
    channel.receiver.next(answer)
    await world.queue(channel.id, ['first', 'second'])
    await world.delivery.run()
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['first'])
    world.nines.clock.advance(-dayMs)
    await world.delivery.run()
    expect(subjectsAt(channel)).toEqual(['first', 'first', 'second'])
  })

  test('what is found of an SLO counts at once: its alert ends, and the next one is told', async () => {
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
