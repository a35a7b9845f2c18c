import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createFeed, type StoredSlo } from '../../src/realtime/feed.ts'
import type { Hub } from '../../src/realtime/hub.ts'
import type { IncidentUpdate } from '../../src/realtime/messages.ts'

const anIncident = {
  organization_id: 1,
  severity: 'critical',
  state: 'down',
  began_at: 1,
  opened_at: 5,
  since: 1,
  recovered_at: null,
  closed_at: null,
  close_reason: null,
  relapses: 0,
  cause: null,
  acknowledged: null,
}

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

/** A hub that records its calls, and tables that the test fills. */
function world() {
  const told: string[] = []
  const logged: string[] = []
  const slos = new Map<number, StoredSlo>()
  const incidents = new Map<number, IncidentUpdate>()
  const state = { lastId: 7, isClosing: false, fails: false, isHeard: true }
  const hub: Hub = {
    join: () => null,
    connections: () => 1,
    mayHaveSubscribers: () => state.isHeard,
    publish: ({ sloId, status }, { isEvaluation }) =>
      void told.push(`${sloId} ${status}${isEvaluation ? ' evaluated' : ''}`),
    broadcast: ({ id }) => void told.push(`notification ${id}`),
    broadcastAcknowledgement: ({ alert_id }) => void told.push(`acknowledgement ${alert_id}`),
    broadcastIncident: ({ id }, event) => void told.push(`incident ${id} ${event}`),
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
    listIncidents: async ({ sloIds, ids }) =>
      [...incidents.values()].filter(
        ({ id, slo_id, closed_at }) => ids.includes(id) || (closed_at === null && sloIds.includes(slo_id)),
      ),
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
      stateFields: steady,
      budgetUsed: 1,
      windowBudget: { usedPercent: 1, isEstimated: false },
      atMs: 0,
      evaluatedAtMs,
    })
  const incident = (id: number, change: Partial<IncidentUpdate>) =>
    incidents.set(id, { ...anIncident, id, slo_id: 1, ...change })
  return { told, logged, state, feed, slo, incident }
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

test('an incident is sent when it opens, when it changes and when it is closed, once each', async () => {
  const { told, feed, slo, incident } = world()
  slo(1, 'critical', 5000)
  const evaluate = async (evaluatedAtMs: number) => {
    feed.evaluated([{ sloId: 1, evaluatedAtMs }])
    await feed.drain()
    return told.splice(0).filter((one) => one.startsWith('incident'))
  }
  incident(1, {})
  expect(await evaluate(5400)).toEqual(['incident 1 opened'])
  expect(await evaluate(65_400)).toEqual([])
  incident(1, { state: 'recovering', recovered_at: 60 })
  expect(await evaluate(125_400)).toEqual(['incident 1 changed'])
  incident(1, { state: 'closed', closed_at: 180 })
  incident(2, { opened_at: 180 })
  expect(await evaluate(180_400)).toEqual(['incident 1 closed', 'incident 2 opened'])
  expect(await evaluate(240_400)).toEqual([])
})

test('an incident that was open before the first client is told apart from a new one, and so is one that a person changes', async () => {
  const { told, feed, slo, incident } = world()
  slo(1, 'critical', 5000)
  incident(1, {})
  incident(2, { slo_id: 2, acknowledged: { by: 'ada', at: '', note: '' } })
  incident(3, { slo_id: 3, closed_at: 9, close_reason: 'by_hand', state: 'closed' })
  feed.evaluated([{ sloId: 1, evaluatedAtMs: 65_400 }])
  feed.incidentChanged(2)
  feed.incidentChanged(3)
  await feed.drain()
  const ofIncidents = told.filter((one) => one.startsWith('incident'))
  expect(ofIncidents.toSorted()).toEqual(['incident 1 changed', 'incident 2 changed', 'incident 3 closed'])
})
