import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { arrived, deliveryWorld, type DeliveryWorld, gate, subjectsAt } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

test('fifty channels whose receivers hang hold up no other, though nobody knew before', async () => {
  world = await deliveryWorld({}, { limits: { lateMs: 10 } })
  const { answer, open } = gate()
  const hanging = await Promise.all(Array.from({ length: 50 }, () => world.channel(answer)))
  for (const { id } of hanging) await world.queue(id, ['hangs'])
  const well = await world.channel()
  await world.queue(well.id, ['first', 'second'])
  const running = world.delivery.run()
  await arrived(2, well)
  expect(hanging.flatMap(subjectsAt)).toHaveLength(50)
  open()
  await running
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
})

test('no more than 64 wait for their receivers beside NOTIFY_CONCURRENCY at work', async () => {
  world = await deliveryWorld({ NOTIFY_CONCURRENCY: '2' }, { limits: { lateMs: 1 } })
  const { answer, open } = gate()
  const hanging = await Promise.all(Array.from({ length: 70 }, () => world.channel(answer)))
  for (const { id } of hanging) await world.queue(id, ['hangs'])
  const running = world.delivery.run()
  await arrived(66, ...hanging)
  await Bun.sleep(50) // as long as two more would need, several times over
  expect(hanging.flatMap(subjectsAt)).toHaveLength(66)
  open()
  await running
  expect(new Set(await world.statuses())).toEqual(new Set(['delivered']))
})
