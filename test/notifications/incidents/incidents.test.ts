import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Evaluation } from '../../../src/evaluation/evaluation-store.ts'
import { createAlertRaiser, endOrphanedAlerts } from '../../../src/notifications/alerts/raise-alerts.ts'
import { type Alerting, alerting, critical, tiers } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
  for (const kind of ['burn_rate_too_fast', 'violation', 'warning', 'error_budget_low', 'recovery'])
    await world.rule(kind)
})
afterEach(() => world.close())

const incidents = () => world.nines.app.db.read.selectFrom('incidents').selectAll().orderBy('id').execute()
const states = () => world.nines.app.db.read.selectFrom('slo_states').selectAll().execute()
const [opened, ticket] = [
  '1 alert burn_rate_too_fast burn_rate:3600:300',
  '1 alert burn_rate_too_fast burn_rate:86400:7200',
]
const recovered = '1 recovery recovery burn_rate:3600:300'
const page = tiers({ 1: true })
const calm = tiers({})
const recent = { seconds: 300, rate: 0, events: null, badEvents: null, isBeyondChance: false, isCovered: true }

describe('an incident', () => {
  test('opens with a tier, recovers, and is closed 15 minutes later, with one message for each but the last', async () => {
    expect(await world.minutes(5, page)).toEqual([opened])
    expect(await states()).toMatchObject([{ state: 'burning_fast', burn_rate_now: 15.4 }])
    expect(await incidents()).toMatchObject([
      { slo_id: 1, severity: 'critical', state: 'burning_fast', closed_at: null },
    ])
    expect(await world.minute(calm)).toEqual([recovered])
    expect(await states()).toMatchObject([{ state: 'recovering' }])
    expect(await world.minutes(14, calm)).toEqual([])
    expect(await incidents()).toMatchObject([{ state: 'recovering', closed_at: null }])
    expect(await world.minute(calm)).toEqual([])
    expect(await incidents()).toMatchObject([{ state: 'closed', close_reason: 'recovered', relapses: 0 }])
    expect(await states()).toMatchObject([{ state: 'ok' }])
  })

  test('that begins after a deploy names it in its message', async () => {
    const { nines } = world
    await nines.app.db.write.updateTable('slos').set({ labels: '{"service":"checkout"}' }).execute()
    const at = new Date(nines.clock.now() - 300_000).toISOString()
    const deploy = { kind: 'deploy', service: 'checkout', version: 'v1.4.2', at }
    await nines.call('POST', '/api/v1/annotations', deploy)
    expect(await world.minute(page)).toEqual([opened])
    const [{ message } = { message: '' }] = await nines.app.db.read
      .selectFrom('notifications')
      .select('message')
      .execute()
    expect(message).toMatch(/^It began \d min after deploy checkout v1\.4\.2\.$/m)
  })

  test('has the messages of status and budget in its own', async () => {
    expect(await world.minute({ ...page, ...critical, budgetUsed: 80 })).toEqual([opened])
    expect(await world.minutes(3, { ...page, ...critical, budgetUsed: 95 })).toEqual([])
    expect(await world.minutes(3, { ...calm, ...critical, budgetUsed: 95 })).toEqual([recovered])
    expect(await world.minutes(20, { ...calm, budgetUsed: 20 })).toEqual([])
  })

  test('is a message again when a ticket becomes a page', async () => {
    expect(await world.minute(tiers({ 24: true }))).toEqual([ticket])
    expect(await states()).toMatchObject([{ state: 'burning' }])
    expect(await world.minute(tiers({ 1: true, 24: true }))).toEqual([opened])
    expect(await incidents()).toMatchObject([{ severity: 'critical' }])
    expect(await world.minute(calm)).toEqual([recovered])
  })

  test('that fails again before it is closed is the same one, with one message for each relapse', async () => {
    await world.minute(page)
    await world.minutes(5, calm)
    expect(await world.minutes(3, page)).toEqual([opened])
    expect(await incidents()).toMatchObject([{ relapses: 1, recovered_at: null }])
    expect(await world.minutes(15, calm)).toEqual([recovered])
    const events = (await world.outbox()).map(({ incident_event }) => incident_event)
    expect(events).toEqual(['opened', 'recovered', 'again', 'recovered'])
  })

  test('that fails again for the third time is flapping, and is then quiet until it is closed', async () => {
    await world.minute(page)
    for (const _ of [1, 2]) await world.minutes(2, calm).then(() => world.minute(page))
    await world.minutes(2, calm)
    const before = (await world.outbox()).length
    await world.minute(page)
    for (const _ of [1, 2, 3]) await world.minutes(2, calm).then(() => world.minute(page))
    await world.minutes(14, calm)
    const events = async () => (await world.outbox()).slice(before).map(({ incident_event }) => incident_event)
    expect(await events()).toEqual(['flapping'])
    await world.minutes(3, calm)
    expect(await events()).toEqual(['flapping', 'recovered'])
  })

  test('that is flapping and is closed by hand while it recovers has its end notified', async () => {
    for (let n = 0; n < 4; n += 1) {
      await world.minute(page)
      await world.minutes(2, calm)
    }
    const { status } = await world.nines.call('POST', '/api/v1/incidents/1/close')
    expect(status).toBe(200)
    const events = (await world.outbox()).map(({ incident_event }) => incident_event)
    expect(events.slice(-2)).toEqual(['flapping', 'recovered'])
  })

  test('is frozen while its source does not answer, and neither ends nor begins again with it', async () => {
    await world.minute(page)
    const away = {
      isFailed: true,
      status: 'unknown',
      reason: 'source_error',
      current: null,
      recent: null,
      ...calm,
    } as const
    expect(await world.minutes(20, away)).toEqual([])
    expect(await incidents()).toMatchObject([{ state: 'unknown', closed_at: null }])
    expect(await states()).toMatchObject([{ state: 'unknown', state_reason: 'source_error' }])
    expect(await world.minute(page)).toEqual([])
    expect(await world.minute(calm)).toEqual([recovered])
  })

  test('does not recover while there is no traffic', async () => {
    await world.minute(page)
    const silent: Partial<Evaluation> = { ...calm, recent: { ...recent, rate: null, events: 0 } }
    expect(await world.minutes(30, silent)).toEqual([])
    expect(await states()).toMatchObject([{ state: 'unknown', state_reason: 'no_traffic' }])
    expect(await incidents()).toMatchObject([{ closed_at: null }])
  })

  test('is not over while the last minutes still burn', async () => {
    await world.minute(page)
    expect(await world.minutes(20, { ...calm, recent: { ...recent, rate: 3 } })).toEqual([])
    expect(await states()).toMatchObject([{ state: 'burning_fast', burn_rate_now: 3 }])
    expect(await world.minute(calm)).toEqual([recovered])
  })

  test.each([
    ['DELETE', undefined],
    ['PUT', { paused: true }],
  ])(
    'of a deleted or paused SLO is closed, and who was notified of it is notified of that: %s',
    async (method, body) => {
      await world.minute(page)
      world.nines.clock.advance(5000)
      const leftSeconds = Math.floor(world.nines.clock.now() / 1000)
      expect((await world.nines.call(method, '/api/v1/slos/1', body)).status).toBe(200)
      const before = (await world.outbox()).length
      await endOrphanedAlerts(world.nines.app)
      expect(await world.outbox()).toHaveLength(before) // it may be taken back
      world.nines.clock.advance(10_000)
      await endOrphanedAlerts(world.nines.app)
      await endOrphanedAlerts(world.nines.app)
      expect((await world.outbox()).slice(before)).toMatchObject([{ event: 'recovery', incident_event: 'recovered' }])
      expect(await incidents()).toMatchObject([
        { state: 'closed', close_reason: 'not_evaluated', closed_at: leftSeconds },
      ])
      expect((await world.alerts()).map(({ ended_at }) => ended_at)).toEqual([leftSeconds])
    },
  )

  test.each([0, 10])(
    'of an SLO that was paused for %p minutes adds nothing to its burn rate of now',
    async (pausedMinutes) => {
      const burned = { ...calm, recent: { ...recent, rate: 400, isBeyondChance: true } }
      await world.minute({ ...page, ...outage(true), recent: burned.recent })
      await world.nines.call('PUT', '/api/v1/slos/1', { paused: true })
      world.nines.clock.advance(10_000)
      await endOrphanedAlerts(world.nines.app)
      await world.nothing(pausedMinutes)
      await world.nines.call('PUT', '/api/v1/slos/1', { paused: false })
      const sloUpdatedAtMs = world.nines.clock.now()
      for (const _ of [1, 2, 3]) {
        await world.minute({ ...burned, ...outage(false), sloUpdatedAtMs })
        expect(await states()).toMatchObject([{ state: 'ok', burn_rate_now: null }])
      }
    },
  )

  test('of an SLO that is paused once it is up again has recovered', async () => {
    await world.minute(page)
    await world.minutes(10, calm)
    expect(await incidents()).toMatchObject([{ state: 'recovering' }])
    expect((await world.nines.call('PUT', '/api/v1/slos/1', { paused: true })).status).toBe(200)
    const before = (await world.outbox()).length
    world.nines.clock.advance(10_000)
    await endOrphanedAlerts(world.nines.app)
    expect(await world.outbox()).toHaveLength(before)
    expect(await incidents()).toMatchObject([{ state: 'closed', close_reason: 'recovered' }])
  })

  test.each([
    [
      {
        name: 'Orders',
        description: 'Ask Ada',
        labels: { env: 'prod' },
        owner: 'Ada',
        runbook_url: 'https://a.example',
      },
      1,
    ],
    [{ name: 'Orders', target: 99 }, 0],
  ])(
    'opens at once after an edit that only describes its SLO, and not before another may be taken back: %j',
    async (edit, count) => {
      await world.minute(calm)
      expect((await world.put('/slos/1', edit)).status).toBe(200)
      const editedAtMs = world.nines.clock.now()
      await world.minute({ ...page, sloUpdatedAtMs: editedAtMs, evaluatedAtMs: editedAtMs + 2000 })
      expect(await incidents()).toHaveLength(count)
    },
  )

  test('waits for the edit that decides, not for a later one that only describes', async () => {
    await world.minute(calm)
    await world.put('/slos/1', { target: 99 })
    const editedAtMs = world.nines.clock.now()
    world.nines.clock.advance(9000)
    await world.put('/slos/1', { name: 'Orders' })
    const edited = { ...page, sloUpdatedAtMs: editedAtMs + 9000 }
    await world.minute({ ...edited, evaluatedAtMs: editedAtMs + 9999 })
    expect(await incidents()).toEqual([])
    await world.minute({ ...edited, evaluatedAtMs: editedAtMs + 10_000 })
    expect(await incidents()).toHaveLength(1)
  })

  test('is closed 15 minutes after it recovered also if nines is restarted all the while', async () => {
    const restart = () => {
      const { clock, app } = world.nines
      const listMinutes = async () => []
      const alertRaiser = createAlertRaiser({
        clock,
        stopwatch: clock,
        publicUrl: app.publicUrl,
        config: { notifyDedupWindowSeconds: 300 },
        listMinutes,
      })
      Object.assign(app, { alertRaiser })
    }
    const nothing: Partial<Evaluation> = {
      ...calm,
      isFailed: true,
      status: 'unknown',
      reason: 'source_error',
      recent: null,
    }
    await world.minute(page)
    await world.minutes(4, calm)
    await world.minutes(3, nothing) // a break, after which it begins anew
    for (let minutes = 0; minutes < 12; minutes += 3) {
      await world.minutes(3, calm)
      restart()
    }
    expect(await incidents()).toMatchObject([{ state: 'recovering', closed_at: null }])
    await world.minutes(4, calm)
    expect(await incidents()).toMatchObject([{ state: 'closed', close_reason: 'recovered' }])
  })

  test('is not closed by a clock that is set forward', async () => {
    await world.minute(page)
    await world.minutes(2, calm)
    world.nines.clock.jump(3_600_000)
    await world.minute(calm)
    expect(await incidents()).toMatchObject([{ state: 'recovering', closed_at: null }])
  })
})

test('a burn rate beyond the fastest page tier is a state in the second round, without an incident', async () => {
  const fast = { ...calm, recent: { ...recent, rate: 20, isBeyondChance: true } }
  await world.minute(fast)
  expect(await states()).toMatchObject([{ state: 'ok' }])
  expect(await world.minute(fast)).toEqual([])
  expect(await states()).toMatchObject([{ state: 'burning_fast' }])
  expect(await incidents()).toEqual([])
})

test('channels that were not notified of an incident are not notified of its end', async () => {
  await world.rule('recovery', { channel_id: 2 })
  await world.minute(page)
  expect(await world.minute(calm)).toEqual([recovered])
})

const outage = (isDown: boolean) => ({
  outage: { isDown, isUnconfirmed: false, sinceSeconds: null, reason: isDown ? 'HTTP 503' : null },
})

test('an outage while the budget burns is a message of its own', async () => {
  expect(await world.minute({ ...page, ...outage(false) })).toEqual([opened])
  expect(await world.minute({ ...page, ...outage(true) })).toEqual(['1 alert violation down'])
  expect((await world.outbox()).at(-1)).toMatchObject({ incident_event: 'rose' })
  expect(await world.minute({ ...calm, ...outage(false) })).toHaveLength(1)
})

test('one failed check after an outage makes no tier notify again, and the next outage does', async () => {
  await world.minute({ ...page, ...outage(true) })
  expect(await world.minutes(20, { ...calm, ...outage(false) })).toHaveLength(1)
  expect(await world.minutes(5, { ...page, ...outage(false) })).toEqual([])
  expect(await world.minute({ ...page, ...outage(true) })).toEqual(['1 alert violation down'])
})

test('a relapse begins when it fails again, not when the incident had recovered', async () => {
  await world.minute(page)
  await world.minutes(10, calm)
  await world.minute(page)
  const nowSeconds = Math.floor(world.nines.clock.now() / 1000)
  const [incident] = await incidents()
  expect(nowSeconds - (incident?.since ?? 0)).toBeLessThanOrEqual(60)
})

test('nothing burns any more right after an outage', async () => {
  await world.minute({ ...page, ...outage(true), recent: { ...recent, rate: 400 } })
  expect(await states()).toMatchObject([{ state: 'down', burn_rate_now: 1000 }])
  expect(await incidents()).toMatchObject([{ peak_burn_rate: 1000 }])
  await world.minute({
    ...calm,
    outage: { ...outage(false).outage, sinceSeconds: Math.floor(world.nines.clock.now() / 1000) + 50 },
    recent: { ...recent, rate: 400 },
  })
  expect(await states()).toMatchObject([{ state: 'recovering', burn_rate_now: 0 }])
})
