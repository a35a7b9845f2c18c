import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createHub } from '../../src/realtime/hub.ts'

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

const log = createLog({ level: 'error', format: 'json', now: () => 0, write: (line) => logged.push(line) })
const logged: string[] = []
const update = {
  sloId: 1,
  organizationId: 1,
  status: 'healthy',
  current: 1,
  target: 99,
  stateFields: steady,
  budgetUsed: 1,
  windowBudget: { usedPercent: 1, isEstimated: false },
  atMs: 0,
}
const subscribe = '{"type": "subscribe", "data": {"slo_id": 1}}'
const ping = '{"type": "ping"}'

/** A hub with one client, whose SLO lookups the test resolves. */
function world() {
  const lookups: PromiseWithResolvers<{ status: string; stateFields: typeof steady } | undefined>[] = []
  const hub = createHub({
    clock: { now: () => 0 },
    log,
    findSlo() {
      const lookup = Promise.withResolvers<{ status: string; stateFields: typeof steady } | undefined>()
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

/** Lets everything proceed that waits for nothing except the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a client that leaves while an SLO is looked up leaves nothing behind', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  seat.leave()
  lookups[0]?.resolve({ status: 'healthy', stateFields: steady })
  await turn()
  expect([hub.mayHaveSubscribers(1), hub.connections()]).toEqual([false, 0])
  hub.publish(update, { isEvaluation: true })
  expect(heard).not.toContain('slo_update')
})

test('nothing is said of an SLO before its subscription is confirmed, and nothing stays of it after the last leaves', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  lookups[0]?.resolve({ status: 'healthy', stateFields: steady })
  for (let n = 0; n < 100 && !hub.mayHaveSubscribers(1); n += 1) await Promise.resolve()
  hub.publish(update, { isEvaluation: true })
  expect(heard).toEqual(['subscription_confirmed', 'slo_update'])
  seat.leave()
  expect(hub.mayHaveSubscribers(1)).toBe(false)
})

test('an SLO that is deleted while it is looked up is looked up again', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive(subscribe)
  await turn()
  hub.drop(1)
  lookups[0]?.resolve({ status: 'healthy', stateFields: steady })
  await turn()
  lookups[1]?.resolve(undefined)
  await turn()
  expect([heard, hub.mayHaveSubscribers(1)]).toEqual([['error'], false])
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

test('a subscription to all hears of every SLO of its organization, new ones included, and of no other', async () => {
  const { hub, heard, seat, client } = world()
  seat.open(client)
  seat.receive('{"type": "subscribe", "data": {"all": true, "channels": ["status"]}}')
  await turn()
  hub.publish(update, { isEvaluation: false })
  hub.publish({ ...update, sloId: 2 }, { isEvaluation: true })
  // no change, and its channel is not subscribed to
  hub.publish({ ...update, sloId: 2 }, { isEvaluation: true })
  hub.publish({ ...update, sloId: 3, organizationId: 2 }, { isEvaluation: true })
  expect(heard).toEqual(['subscription_confirmed', 'slo_update', 'slo_update'])
  seat.receive('{"type": "unsubscribe", "data": {"all": true}}')
  await turn()
  hub.publish({ ...update, status: 'critical' }, { isEvaluation: true })
  expect([heard.slice(3), hub.mayHaveSubscribers(1)]).toEqual([['unsubscription_confirmed'], false])
})

test('a subscription to all outlives the SLOs that are deleted', async () => {
  const { hub, heard, seat, client } = world()
  seat.open(client)
  seat.receive('{"type": "subscribe", "data": {"all": true}}')
  await turn()
  hub.publish(update, { isEvaluation: true })
  hub.drop(1)
  hub.publish({ ...update, sloId: 2 }, { isEvaluation: true })
  expect(heard).toEqual(['subscription_confirmed', 'slo_update', 'unsubscription_confirmed', 'slo_update'])
})

test('a subscription names an SLO or all', async () => {
  const { heard, seat, client } = world()
  seat.open(client)
  for (const data of ['{}', '{"all": false}', '{"all": 1}']) {
    seat.receive(`{"type": "subscribe", "data": ${data}}`)
    await turn()
  }
  expect(heard).toEqual(['error', 'error', 'error'])
})

test('a client that has subscribed to all and to an SLO gets each of its updates and notifications once', async () => {
  const { hub, heard, seat, client, lookups } = world()
  seat.open(client)
  seat.receive('{"type": "subscribe", "data": {"all": true}}')
  seat.receive('{"type": "subscribe", "data": {"slo_id": 1, "channels": ["status"]}}')
  await turn()
  lookups[0]?.resolve({ status: 'healthy', stateFields: steady })
  await turn()
  // its own subscription is for the status only
  hub.publish(update, { isEvaluation: true })
  hub.publish({ ...update, status: 'critical' }, { isEvaluation: true })
  const words = { alert_type: '', priority: '', subject: '', message: '' }
  hub.broadcast({ id: 1, organization_id: 1, slo_id: 1, created_at: 0, ...words })
  // never published before
  hub.broadcast({ id: 2, organization_id: 1, slo_id: 2, created_at: 0, ...words })
  hub.broadcast({ id: 3, organization_id: 2, slo_id: 3, created_at: 0, ...words })
  const confirmed = ['subscription_confirmed', 'subscription_confirmed']
  expect(heard).toEqual([...confirmed, 'slo_update', 'notification', 'notification'])
})
