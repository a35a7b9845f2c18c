import { afterEach, expect, test } from 'bun:test'
import { endOrphanedAlerts } from '../../src/notifications/alerts/raise-alerts.ts'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

test('an SLO that is resumed after an outage begins no alert over minutes before, and one over minutes since', async () => {
  const world = await shop()
  const change = (body: object) => world.nines.call('PUT', '/api/v1/slos/1', body)
  const firing = async () => {
    const alerts = await world.nines.app.db.read
      .selectFrom('alerts')
      .select('name')
      .where('ended_at', 'is', null)
      .execute()
    return alerts.map(({ name }) => name).filter((name) => name.startsWith('burn_rate'))
  }
  await world.minutes(10, { '/checkout': 1, '/search': 1 })
  expect(await world.incidents()).toHaveLength(1)
  await change({ paused: true })
  await world.minutes(1)
  await endOrphanedAlerts(world.nines.app)
  expect(await world.incidents()).toEqual([])
  await change({ paused: false })
  const resumed: string[] = []
  for (let minute = 0; minute < 6; minute += 1) {
    await world.minutes(1)
    resumed.push(...(await firing()))
    expect(await world.incidents()).toEqual([])
  }
  expect(resumed).toEqual([])
  await world.minutes(8, { '/checkout': 1, '/search': 1 })
  expect(await firing()).toContain('burn_rate:3600:300')
  expect(await world.incidents()).toHaveLength(1)
})
