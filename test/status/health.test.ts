import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { conditionNames } from '../../src/status/watch/conditions.ts'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
})
afterEach(() => nines.close())

const ask = (path: string) => nines.call('GET', path, undefined, { token: null })
const health = async () => (await ask('/api/v1/health')).body

describe('GET /api/v1/health', () => {
  test('says of each part that it works', async () => {
    await nines.app.delivery.run()
    expect(await health()).toEqual({
      status: 'ok',
      timestamp: '2026-11-21T10:00:00.000Z',
      services: { database: true, cache: true, notifications: true, websocket: true, clock: true },
      conditions: [],
    })
  })

  test('a condition that holds is listed with since and advice, to anybody, and degrades', async () => {
    nines.app.conditions.set('disk_nearly_full', '1 % is free')
    nines.clock.advance(1000)
    const condition = {
      name: 'disk_nearly_full',
      since: '2026-11-21T10:00:00.000Z',
      message: '1 % is free',
      advice: 'free space in the data folder, or lower RETENTION_DAYS or SAMPLES_MAX_BYTES',
    }
    expect(await health()).toMatchObject({ status: 'degraded', conditions: [condition] })
    const status = await ask('/api/v1/status/public')
    expect(status.body).toMatchObject({ status: 'degraded', conditions: [condition], services: { database: true } })
    nines.app.conditions.set('disk_nearly_full', null)
    expect(await health()).toMatchObject({ status: 'ok', conditions: [] })
  })

  test('each condition is a series of /metrics, 0 while it does not hold', async () => {
    nines.app.conditions.set('clock_jumped', 'set')
    const { text } = await ask('/metrics')
    expect(text).toContain('nines_condition{condition="clock_jumped"} 1')
    expect(text).toContain('nines_condition{condition="evaluation_stalled"} 0')
    expect(text.match(/^nines_condition\{/gm)).toHaveLength(conditionNames.length)
  })

  test('of notifications, while the outbox is looked through and that does not fail', async () => {
    const notifications = async () => {
      const { status, services } = await health()
      expect(status).toBe(services.notifications ? 'ok' : 'degraded')
      return services.notifications
    }
    expect(await notifications()).toBe(true) // delivery is about to start
    nines.clock.advance(5001)
    expect(await notifications()).toBe(false)
    await nines.app.delivery.run()
    nines.clock.advance(5000)
    expect(await notifications()).toBe(true)
    nines.clock.advance(1)
    expect(await notifications()).toBe(false)
    await nines.app.delivery.run()
    expect(await notifications()).toBe(true)
    await nines.app.db.write.schema.alterTable('notifications').renameTo('elsewhere').execute()
    await expect(nines.app.delivery.run()).rejects.toThrow('notifications')
    expect(await notifications()).toBe(false)
    await nines.app.db.write.schema.alterTable('elsewhere').renameTo('notifications').execute()
    nines.clock.advance(5001)
    await nines.app.delivery.run()
    expect(await notifications()).toBe(true)
  })

  test('of the cache, while it can be read', async () => {
    const { write } = nines.app.db
    await write.schema.alterTable('cache_entries').renameTo('elsewhere').execute()
    expect((await health()).services).toMatchObject({ cache: false, websocket: true })
    expect((await ask('/api/v1/status/public')).body).toMatchObject({ status: 'degraded', services: { cache: false } })
    await write.schema.alterTable('elsewhere').renameTo('cache_entries').execute()
    expect((await health()).services.cache).toBe(true)
  })

  test('of WebSockets, until nines is closing', async () => {
    nines.app.startClosing()
    expect((await health()).services.websocket).toBe(false)
  })
})

describe('GET /api/v1/status/public', () => {
  test('has what anybody may know', async () => {
    nines.clock.advance(((3 * 24 + 2) * 60 + 15) * 60_000)
    expect((await ask('/api/v1/status/public')).body).toEqual({
      status: 'ok',
      uptime: '3d 2h 15m',
      timestamp: '2026-11-24T12:15:00.000Z',
      services: { api: true, database: true, cache: true },
      conditions: [],
      slos: { total: 0, healthy: 0, violated: 0, no_data: 0 },
    })
  })

  test('says when the database cannot be written to', async () => {
    const { status, body } = await whileReadOnly(() => ask('/api/v1/status/public'))
    expect([status, body.status, body.services]).toEqual([200, 'degraded', { api: true, database: false, cache: true }])
    expect(body.slos.total).toBe(0)
  })
})

async function whileReadOnly<T>(work: () => Promise<T>): Promise<T> {
  await sql`pragma query_only = on`.execute(nines.app.db.write)
  try {
    return await work()
  } finally {
    await sql`pragma query_only = off`.execute(nines.app.db.write)
  }
}
