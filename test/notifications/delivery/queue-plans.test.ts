import { afterEach, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { deliveryWorld, type DeliveryWorld, refusing } from './delivery-world.ts'

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

test('no statement of the delivery reads more of the history than is queued', async () => {
  using prepare = spyOn(Database.prototype, 'prepare')
  world = await deliveryWorld()
  const [well, failing] = [await world.channel(), await world.channel(refusing(503))]
  for (const { id } of [well, failing]) await world.queue(id, ['one', 'two'])
  prepare.mockClear()
  await world.delivery.run()
  const texts = prepare.mock.calls.map(([text]) => text).filter((text) => /\bnotification/.test(text))
  expect(texts.length).toBeGreaterThan(4)
  const reader = new Database(join(world.nines.dataDir, 'nines.db'), { readonly: true })
  closeLater(() => reader.close())
  const scans = texts.flatMap((text) => {
    const values = Array(text.split('?').length - 1).fill('[1]')
    const plan = reader.prepare<string[], { detail: string }>(`explain query plan ${text}`).all(...values)
    return plan.map(({ detail }) => detail).filter((detail) => /^SCAN (notifi|head|channels)/.test(detail))
  })
  // notifications left by the process before
  expect(new Set(scans)).toEqual(new Set(['SCAN notifications USING INDEX notifications_queued']))
})
