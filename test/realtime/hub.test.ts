import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createHub } from '../../src/realtime/hub.ts'

const log = createLog({ level: 'error', format: 'json', now: () => 0, write: (line) => logged.push(line) })
const logged: string[] = []
const update = { sloId: 1, status: 'healthy', current: 1, target: 99, budgetUsed: 1, atMs: 0 }
const subscribe = '{"type": "subscribe", "data": {"slo_id": 1}}'
const ping = '{"type": "ping"}'

/** A hub with one client, for which SLOs are looked up when the test says so. */
function world() {
  const lookups: PromiseWithResolvers<{ status: string } | undefined>[] = []
  const hub = createHub({
    clock: { now: () => 0 },
    log,
    findSlo() {
      const lookup = Promise.withResolvers<{ status: string } | undefined>()
      lookups.push(lookup)
      return lookup.promise
    },
  })
  const heard: string[] = []
  const seat = hub.join({ userId: 1, organizationId: 1 })
  if (!seat) throw new Error('no seat')
  const client = {
    send: (text: string) => void heard.push(JSON.parse(text).type),
    close: (code: number, reason: string) => void heard.push(`${code} ${reason}`),
  }
  return { hub, heard, seat, client, lookups }
}

/** Lets everything go on that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a client that leaves while an SLO is looked up leaves nothing behind', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  seat.leave()
  lookups[0]?.resolve({ status: 'healthy' })
  await turn()
  expect([hub.isHeard(1), hub.connections()]).toEqual([false, 0])
  hub.publish(update, { isEvaluation: true })
  expect(heard).not.toContain('slo_update')
})

test('nothing is said of an SLO before its subscription is confirmed, and nothing stays of it after the last leaves', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  lookups[0]?.resolve({ status: 'healthy' })
  for (let n = 0; n < 100 && !hub.isHeard(1); n += 1) await Promise.resolve()
  hub.publish(update, { isEvaluation: true })
  expect(heard).toEqual(['subscription_confirmed', 'slo_update'])
  seat.leave()
  expect(hub.isHeard(1)).toBe(false)
})

test('an SLO that is deleted while it is looked up is looked up again', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  hub.drop(1)
  lookups[0]?.resolve({ status: 'healthy' })
  await turn()
  lookups[1]?.resolve(undefined)
  await turn()
  expect([heard, hub.isHeard(1)]).toEqual([['error'], false])
})

test('a lookup that fails is an error to the client and a line in the log, and the next message is answered', async () => {
  const { heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  seat.receive(ping)
  await turn()
  lookups[0]?.reject(new Error('the disk is gone'))
  await turn()
  expect(heard).toEqual(['error', 'pong'])
  expect(logged.join('')).toContain('the disk is gone')
})

test('a client that sends more than 1 MiB before it is answered is cut off', async () => {
  const { heard, seat, client } = world()
  seat.open(client)
  seat.receive(subscribe)
  for (let n = 0; n < 16; n += 1) seat.receive('x'.repeat(64 * 1024 - 1))
  expect(heard).toEqual(['1008 Too many messages'])
})

test('closing reaches connected clients and those that still come', () => {
  const { hub, heard, seat, client } = world()
  seat.open(client)
  hub.closeAll(1001, 'Shutting down')
  hub.join({ userId: 1, organizationId: 1 })?.open(client)
  expect(heard).toEqual(['1001 Shutting down', '1001 Shutting down'])
})

test('a place that is given back twice is given back once', () => {
  const { hub, seat } = world()
  const places = Array.from({ length: 100 }, () => hub.join({ userId: 1, organizationId: 1 }))
  expect(places.map((place) => place !== null)).toEqual([...Array(99).fill(true), false])
  seat.leave()
  seat.leave()
  expect([hub.connections(), hub.join({ userId: 1, organizationId: 1 }) !== null]).toEqual([99, true])
  expect(hub.join({ userId: 1, organizationId: 1 })).toBeNull()
})
