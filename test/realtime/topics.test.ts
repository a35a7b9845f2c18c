import { afterEach, describe, expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createHub } from '../../src/realtime/hub.ts'
import type { Client } from '../../src/realtime/topics.ts'
import { type LiveWorld, liveWorld } from './live.ts'

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

const log = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })

/** A hub over a transport with groups, the number of publications, and the messages each client got. */
function world() {
  const hub = createHub({
    clock: { now: () => 0 },
    log,
    findSlo: async () => ({ status: 'healthy', stateFields: steady }),
  })
  const published: string[] = []
  const followers = new Map<string, Set<(text: string) => void>>()
  const transport = {
    publish(group: string, text: string) {
      published.push(group)
      for (const hear of followers.get(group) ?? []) hear(text)
    },
  }
  let statusChanges = 0
  return {
    hub,
    published,
    followed: () => [...followers.values()].reduce((sum, { size }) => sum + size, 0),
    async join(...subscriptions: object[]) {
      const heard: string[] = []
      const seat = hub.join({ userId: followers.size, organizationId: 1 })
      const hear = (text: string) => void heard.push(JSON.parse(text).type)
      const client: Client = {
        send: hear,
        close: () => {},
        transport,
        follow: (group) => void followers.set(group, (followers.get(group) ?? new Set()).add(hear)),
        unfollow: (group) => void followers.get(group)?.delete(hear),
      }
      seat?.open(client)
      const say = async (type: string, data: object) => {
        seat?.receive(JSON.stringify({ type, data }))
        await new Promise((resolve) => setImmediate(resolve))
      }
      for (const data of subscriptions) await say('subscribe', data)
      heard.length = 0
      return { heard, say, leave: () => seat?.leave() }
    },
    publish(sloId: number, change: { isNew?: boolean; isEvaluation?: boolean }) {
      if (change.isNew) statusChanges += 1
      const status = `s${statusChanges}`
      const update = {
        sloId,
        organizationId: 1,
        status,
        current: 1,
        target: 99,
        stateFields: steady,
        budgetUsed: 1,
        windowBudget: { usedPercent: 1, isEstimated: false },
        atMs: 0,
      }
      hub.publish(update, { isEvaluation: change.isEvaluation ?? true })
    },
  }
}

test('an update is published once, however many have subscribed to it', async () => {
  const { join, publish, published } = world()
  const clients = await Promise.all(Array.from({ length: 50 }, () => join({ slo_id: 1 })))
  publish(1, {})
  expect(published).toHaveLength(1)
  for (const { heard } of clients) expect(heard).toEqual(['slo_update'])
})

test('each client hears the channels of its last subscription', async () => {
  const { join, publish } = world()
  const status = await join({ slo_id: 1, channels: ['status'] })
  const metrics = await join({ slo_id: 1, channels: ['metrics'] })
  const changed = await join({ slo_id: 1 }, { slo_id: 1, channels: ['status'] })
  publish(1, { isNew: true, isEvaluation: false })
  publish(1, { isEvaluation: true })
  publish(1, { isNew: true, isEvaluation: true })
  expect([status, metrics, changed].map(({ heard }) => heard.length)).toEqual([2, 2, 2])
})

describe('who has subscribed to all SLOs and to one of them', () => {
  test.each([
    ['first', [{ slo_id: 1, channels: ['status'] }, { all: true }]],
    ['last', [{ all: true }, { slo_id: 1, channels: ['status'] }]],
  ])('hears of that one what it has subscribed to there, once (%p)', async (_, subscriptions) => {
    const { join, publish } = world()
    const { heard, say } = await join(...subscriptions)
    publish(1, { isNew: true })
    expect(heard).toHaveLength(1)
    // a value, which the client has not subscribed to
    publish(1, {})
    expect(heard).toHaveLength(1)
    publish(2, {})
    expect(heard).toHaveLength(2)
    await say('unsubscribe', { slo_id: 1 })
    publish(1, {})
    expect(heard.slice(2)).toEqual(['unsubscription_confirmed', 'slo_update'])
  })
})

test('nothing is followed any more after the client has left, unsubscribed, or the SLO is deleted', async () => {
  const { hub, join, publish, published, followed } = world()
  const one = await join({ slo_id: 1 }, { slo_id: 2 })
  const other = await join({ all: true })
  expect(followed()).toBe(3)
  await one.say('unsubscribe', { slo_id: 1 })
  hub.drop(2)
  expect(followed()).toBe(1)
  other.leave()
  expect(followed()).toBe(0)
  one.heard.length = 0
  publish(1, {})
  publish(2, {})
  expect([one.heard, other.heard, published]).toEqual([[], [], []])
})

describe('over a socket', () => {
  let live: LiveWorld
  afterEach(() => live.close())

  const update = (current: number) => ({
    sloId: 1,
    organizationId: 1,
    status: 'healthy',
    current,
    target: 99,
    stateFields: steady,
    budgetUsed: 1,
    windowBudget: { usedPercent: 1, isEstimated: false },
    atMs: 0,
  })
  const acknowledgement = { alert_id: 1, organization_id: 1, slo_id: 1, acknowledged: null }

  test('what is published and what is sent to each arrives in the order of the calls', async () => {
    live = await liveWorld()
    const client = await live.connect()
    await client.subscribe(1)
    const { hub } = live.nines.app
    for (let n = 0; n < 30; n += 3) {
      hub.publish(update(n), { isEvaluation: true })
      hub.publish(update(n + 1), { isEvaluation: true })
      hub.broadcastAcknowledgement({ ...acknowledgement, alert_id: n + 2 })
      if (n % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const heard = await client.heard()
    expect(heard.map(({ data }) => data.current_value ?? data.alert_id)).toEqual(
      Array.from({ length: 30 }, (_, n) => n),
    )
  })

  test('a client that is signed out hears nothing that is published afterwards', async () => {
    live = await liveWorld()
    const client = await live.connect()
    await client.subscribe(1)
    const next = client.next()
    await live.nines.call('POST', '/api/v1/auth/logout', undefined, { token: live.ada })
    await live.nines.app.tokenWatch.drain()
    live.nines.app.hub.publish(update(1), { isEvaluation: true })
    await expect(next).rejects.toThrow('closed with 4401')
  })
})
