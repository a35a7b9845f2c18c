import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createDelivery } from '../../../src/notifications/delivery/delivery.ts'
import { testApp } from '../../support/app.ts'
import { closeAll } from '../../support/closing.ts'
import { childPages, overwritePage, rootPage } from '../../support/damage.ts'
import { deliveryWorld, subjectsAt } from './delivery-world.ts'

afterEach(closeAll)

test('notifications that cannot be read keep those of other channels from nothing', async () => {
  const world = await deliveryWorld()
  const [one, other] = [await world.channel(), await world.channel()]
  const message = 'long '.repeat(500)
  await world.queue(
    one.id,
    Array.from({ length: 40 }, (_, at) => `lost ${at}`),
    { message },
  )
  await world.queue(other.id, ['delivered'], { message })
  const { dataDir } = world.nines
  await world.nines.app.close()
  const path = join(dataDir, 'nines.db')
  overwritePage(path, childPages(path, rootPage(path, 'notifications'))[1] ?? 0)
  const nines = await testApp({ dataDir })
  const delivery = createDelivery({ ...nines.app, instanceId: 'test', random: () => 1 })
  await delivery.run()
  await delivery.run()
  expect(subjectsAt(other)).toEqual(['delivered'])
  expect(nines.app.conditions.list()).toMatchObject([{ name: 'database_damaged' }])
  // the file, and the condition
  expect(nines.logged.filter((line) => line.includes('"level":"error"'))).toHaveLength(2)
  await nines.close()
})
