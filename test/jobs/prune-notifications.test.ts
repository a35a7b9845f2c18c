import { afterEach, expect, test } from 'bun:test'
import { pruneOldRows } from '../../src/jobs/prune.ts'
import { testStartMs } from '../support/app.ts'
import { closeAll } from '../support/closing.ts'
import { deliveryWorld, type DeliveryWorld } from '../notifications/delivery/delivery-world.ts'

const days = 30
const oldest = testStartMs - days * 86_400_000

let world: DeliveryWorld
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

test('a notification is forgotten RETENTION_DAYS after it was queued, with its attempts; one that is queued still is not', async () => {
  world = await deliveryWorld({ RETENTION_DAYS: `${days}` })
  const { read, write } = world.nines.app.db
  const { id } = await world.channel()
  const [old = 0] = await world.queue(id, ['old'])
  await world.delivery.run()
  const [pending = 0, sending = 0] = await world.queue(id, ['pending', 'sending'])
  world.nines.clock.advance(1)
  const [young = 0] = await world.queue(id, ['young'])
  await world.delivery.run()
  for (const [id, status] of [[pending, 'pending'] as const, [sending, 'sending'] as const]) {
    await write.updateTable('notifications').set({ status }).where('id', '=', id).execute()
  }
  expect(await world.statuses()).toEqual(['delivered', 'pending', 'sending', 'delivered'])
  world.nines.clock.advance(days * 86_400_000)
  await pruneOldRows(world.nines.app)
  const left = await read.selectFrom('notifications').select('id').orderBy('id').execute()
  expect(left.map(({ id }) => id)).toEqual([pending, sending, young])
  const attempts = await read.selectFrom('notification_attempts').select('notification_id').execute()
  expect(attempts.map(({ notification_id }) => notification_id)).not.toContain(old)
})

test('alerts and silences are forgotten RETENTION_DAYS after they ended', async () => {
  world = await deliveryWorld({ RETENTION_DAYS: `${days}` })
  const { read, write } = world.nines.app.db
  const of = { organization_id: 1, slo_id: 1 }
  for (const ended_at of [oldest / 1000 - 1, oldest / 1000, null]) {
    const alert = { ...of, name: 'status', severity: 'critical', began_at: oldest / 1000 - 9, ended_at } as const
    await write.insertInto('alerts').values(alert).execute()
  }
  for (const until of [oldest - 1, oldest]) {
    const silence = { ...of, labels: null, starts_at: oldest - 9, until, comment: '', created_by: null, created_at: 0 }
    await write.insertInto('silences').values(silence).execute()
  }
  await pruneOldRows(world.nines.app)
  const alerts = await read.selectFrom('alerts').select('ended_at').orderBy('id').execute()
  expect(alerts.map(({ ended_at }) => ended_at)).toEqual([oldest / 1000, null])
  const silences = await read.selectFrom('silences').select('until').execute()
  expect(silences).toEqual([{ until: oldest }])
})

test('incidents are forgotten RETENTION_DAYS after they were closed; what an open one still needs is not', async () => {
  world = await deliveryWorld({ RETENTION_DAYS: `${days}` })
  const { read, write } = world.nines.app.db
  const began = oldest / 1000 - 9
  const of = { organization_id: 1, slo_id: 1 }
  const times = { began_at: began, opened_at: began, since: began, relapses: 0 }
  const incident = async (closed_at: number | null) => {
    const end = closed_at === null ? {} : ({ state: 'closed', closed_at, close_reason: 'by_hand' } as const)
    const row = { ...of, ...times, severity: 'critical', state: 'down', ...end } as const
    const { id } = await write.insertInto('incidents').values(row).returning('id').executeTakeFirstOrThrow()
    return id
  }
  const alert = async (incident_id: number, ended_at: number | null) => {
    const row = { ...of, name: 'down', severity: 'critical', began_at: began, ended_at, incident_id } as const
    const { id } = await write.insertInto('alerts').values(row).returning('id').executeTakeFirstOrThrow()
    return id
  }
  const [old, young, stillFails, open] = [
    await incident(oldest / 1000 - 1),
    await incident(oldest / 1000),
    await incident(oldest / 1000 - 1),
    await incident(null),
  ]
  const note = { user_id: null, user_name: 'ada', note: 'x', created_at: 0 }
  await write
    .insertInto('incident_notes')
    .values([old, open].map((incident_id) => ({ incident_id, ...note })))
    .execute()
  await alert(old, oldest / 1000 - 1)
  const kept = [await alert(stillFails, null), await alert(open, oldest / 1000 - 1)]
  const { id } = await world.channel()
  const [gone = 0, needed = 0] = await world.queue(id, ['gone', 'needed'])
  await world.delivery.run()
  const stale = { created_at: oldest - 1 } as never
  await write.updateTable('notifications').set(stale).execute()
  await write
    .updateTable('notifications')
    .set({ incident_id: open } as never)
    .where('id', '=', needed)
    .execute()
  await write
    .updateTable('notifications')
    .set({ incident_id: old } as never)
    .where('id', '=', gone)
    .execute()
  await pruneOldRows(world.nines.app)
  const idsIn = async (table: 'incidents' | 'alerts' | 'notifications') =>
    (await read.selectFrom(table).select('id').orderBy('id').execute()).map((row) => row.id)
  expect(await idsIn('incidents')).toEqual([young, stillFails, open])
  expect(await idsIn('alerts')).toEqual(kept)
  expect(await idsIn('notifications')).toEqual([needed])
  expect(await read.selectFrom('incident_notes').select('incident_id').execute()).toEqual([{ incident_id: open }])
})
