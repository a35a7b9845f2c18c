import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createFeed, type StoredSlo } from '../../src/realtime/feed.ts'
import type { Hub } from '../../src/realtime/hub.ts'

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

/** A hub that records its calls, and tables that the test fills. */
function world() {
  const told: string[] = []
  const logged: string[] = []
  const slos = new Map<number, StoredSlo>()
  const state = { lastId: 7, isClosing: false, fails: false, isHeard: true }
  const hub: Hub = {
    join: () => null,
    connections: () => 1,
    mayHaveSubscribers: () => state.isHeard,
    publish: ({ sloId, status }, { isEvaluation }) =>
      void told.push(`${sloId} ${status}${isEvaluation ? ' evaluated' : ''}`),
    broadcast: ({ id }) => void told.push(`notification ${id}`),
    broadcastAcknowledgement: ({ alert_id }) => void told.push(`acknowledgement ${alert_id}`),
    drop: (sloId) => void told.push(`dropped ${sloId}`),
    closeAll() {},
  }
  const feed = createFeed({
    hub,
    log: createLog({ level: 'error', format: 'json', now: () => 0, write: (line) => logged.push(line) }),
    isClosing: () => state.isClosing,
    async listSlos(ids) {
      if (state.fails) throw new Error('the disk is busy')
      return ids.flatMap((id) => slos.get(id) ?? [])
    },
    lastNotificationId: async () => state.lastId,
    async listNotifications(afterId, max) {
      const ids = Array.from({ length: state.lastId - afterId }, (_, n) => afterId + n + 1)
      const words = { alert_type: '', priority: '', subject: '', message: '' }
      return ids.slice(0, max).map((id) => ({ id, organization_id: 1, slo_id: 1, created_at: 0, ...words }))
    },
  })
  const slo = (sloId: number, status: string, evaluatedAtMs: number | null) =>
    slos.set(sloId, {
      sloId,
      organizationId: 1,
      status,
      current: 1,
      target: 1,
      now: steady,
      budgetUsed: 1,
      windowBudget: { usedPercent: 1, isEstimated: false },
      atMs: 0,
      evaluatedAtMs,
    })
  return { told, logged, state, feed, slo }
}

test('what was there before the start is not sent, and all that comes after is, in its order and once', async () => {
  const { told, state, feed } = world()
  await feed.drain()
  expect(told).toEqual([])
  state.lastId = 1007
  feed.queued()
  feed.queued()
  await feed.drain()
  expect(told).toEqual(Array.from({ length: 1000 }, (_, n) => `notification ${n + 8}`))
})

test('what is stored is sent: an evaluation, an edit, and that an SLO was deleted', async () => {
  const { told, feed, slo } = world()
  for (const id of [1, 2, 3]) slo(id, 'healthy', 5000)
  feed.evaluated([
    { sloId: 1, evaluatedAtMs: 5000 },
    { sloId: 2, evaluatedAtMs: 6000 },
  ])
  feed.changed(1)
  feed.changed(3)
  feed.changed(4)
  await feed.drain()
  expect(told).toEqual(['1 healthy evaluated', '2 healthy', '3 healthy', 'dropped 4'])
})

test('what nobody listens to is not read', async () => {
  const { told, state, feed, slo } = world()
  state.isHeard = false
  slo(1, 'healthy', 5000)
  feed.evaluated([{ sloId: 1, evaluatedAtMs: 5000 }])
  await feed.drain()
  expect(told).toEqual([])
})

test('a read that fails is logged, and what comes next is sent', async () => {
  const { told, logged, state, feed, slo } = world()
  slo(1, 'healthy', 5000)
  await feed.drain()
  state.fails = true
  feed.changed(1)
  await feed.drain()
  state.fails = false
  feed.changed(1)
  await feed.drain()
  expect([told, logged.length]).toEqual([['1 healthy'], 1])
})

test('nothing is read once nines is closing', async () => {
  const { told, state, feed, slo } = world()
  slo(1, 'healthy', 5000)
  await feed.drain()
  state.isClosing = true
  feed.changed(1)
  await feed.drain()
  expect(told).toEqual([])
})
