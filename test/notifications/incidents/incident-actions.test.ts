import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Role } from '../../../src/role.ts'
import { closeLater } from '../../support/closing.ts'
import { invited } from '../../support/people.ts'
import { routingKey, startPagerDuty } from '../../support/receivers/pagerduty.ts'
import { type Alerting, alerting, healthy, testStartMs, tiers, warning } from '../alerts/alerting.ts'
import { rulesOf } from '../../support/rules-of.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const call = (method: string, path: string, body?: object, options = {}) =>
  world.nines.call(method, `/api/v1${path}`, body, options)
const incident = async (id = 1) => (await call('GET', `/incidents/${id}`)).body.data
const alertAcknowledgements = async () =>
  (await call('GET', '/notifications/alerts?state=all')).body.alerts
    .map(({ name, acknowledged }: { name: string; acknowledged: { by: string; note: string } | null }) => [
      name,
      acknowledged && `${acknowledged.by}: ${acknowledged.note}`,
    ])
    .toSorted()
const audited = async () =>
  (await call('GET', '/audit-log')).body.entries
    .filter(({ event }: { event: string }) => /incident|acknowledge/.test(event))
    .map(({ event, details }: Record<string, unknown>) => ({ event, details }))
    .toReversed()
const someone = (name: string, role: Role) =>
  invited(world.nines, { id: 1, token: world.ada, email: 'ada@example.com' }, name, role)
const page = { ...warning, ...tiers({ 1: true }) }
const ticket = { ...warning, ...tiers({ 24: true }) }
const faster = 'burn_rate:3600:300'
const slower = 'burn_rate:86400:7200'

test('the history of an incident keeps each rise, end, relapse and acknowledgement with its time', async () => {
  const minute = (n: number) => new Date(testStartMs + n * 60_000).toISOString()
  await world.minute(ticket)
  await call('POST', '/incidents/1/acknowledge', { note: 'small' })
  await world.minute(page)
  await call('POST', '/incidents/1/acknowledge', {})
  await call('POST', '/incidents/1/acknowledge', { note: 'mine' })
  await world.minute(warning)
  await world.minute(page)
  await call('POST', '/incidents/1/acknowledge', { note: 'again mine' })
  await call('DELETE', '/incidents/1/acknowledge')
  await world.minute(warning)
  expect(await incident()).toMatchObject({ relapses: 1, acknowledged: null })
  const nobody = { by: null, note: null }
  expect((await incident()).history).toEqual([
    { event: 'acknowledged', at: minute(1), by: 'ada', note: 'small' },
    { event: 'rose', at: minute(2).replace('00.000Z', '01.000Z'), ...nobody },
    { event: 'acknowledged', at: minute(2), by: 'ada', note: 'mine' },
    { event: 'recovered', at: minute(3), ...nobody },
    { event: 'again', at: minute(4), ...nobody },
    { event: 'acknowledged', at: minute(4), by: 'ada', note: 'again mine' },
    { event: 'withdrawn', at: minute(4), by: 'ada', note: null },
    { event: 'recovered', at: minute(5), ...nobody },
  ])
})

describe('the acknowledgement of an incident', () => {
  test('is that of its alerts, set at either and taken back at either', async () => {
    await world.minute(page)
    const { status, body } = await call('POST', '/incidents/1/acknowledge', { note: 'mine' })
    const acknowledged = { by: 'ada', at: new Date(testStartMs + 60_000).toISOString(), note: 'mine' }
    expect([status, body.data]).toMatchObject([200, { id: 1, acknowledged }])
    expect(await alertAcknowledgements()).toEqual([
      [faster, 'ada: mine'],
      ['status', 'ada: mine'],
    ])
    await call('POST', '/notifications/alerts/1/acknowledge', { note: 'found it' })
    expect((await incident()).acknowledged).toEqual({ ...acknowledged, note: 'found it' })
    await call('DELETE', '/notifications/alerts/2/acknowledge')
    expect((await incident()).acknowledged).toBeNull()
    expect(await alertAcknowledgements()).toEqual([
      [faster, null],
      ['status', null],
    ])
    await call('POST', '/notifications/alerts/2/acknowledge', {})
    expect((await incident()).acknowledged).toMatchObject({ by: 'ada', note: '' })
    await call('DELETE', '/incidents/1/acknowledge')
    expect(await alertAcknowledgements()).toEqual([
      [faster, null],
      ['status', null],
    ])
    const details = { incident_id: 1, slo_id: 1 }
    expect(await audited()).toMatchObject([
      { event: 'incident_acknowledged', details },
      { event: 'acknowledgement_changed', details: { ...details, alert_id: 1 } },
      { event: 'acknowledgement_withdrawn', details: { ...details, alert_id: 2 } },
      { event: 'alert_acknowledged', details: { ...details, alert_id: 2 } },
      { event: 'acknowledgement_withdrawn', details },
    ])
  })

  test('is that of a later alert too, of which nobody is notified', async () => {
    await world.rule('burn_rate_too_fast')
    await world.rule('warning')
    expect(await world.minute({ ...healthy, ...tiers({ 1: true }) })).toEqual([`1 alert burn_rate_too_fast ${faster}`])
    await call('POST', '/incidents/1/acknowledge', {})
    expect(await world.minute({ ...warning, ...tiers({ 1: true, 24: true }) })).toEqual([])
    expect(await alertAcknowledgements()).toEqual([
      [faster, 'ada: '],
      [slower, 'ada: '],
      ['status', 'ada: '],
    ])
  })

  test('ends at a rise of severity, for its alerts too, and the rise is notified', async () => {
    await world.rule('burn_rate_too_fast')
    expect(await world.minute(ticket)).toEqual([`1 alert burn_rate_too_fast ${slower}`])
    await call('POST', '/incidents/1/acknowledge', {})
    expect(await world.minute({ ...warning, ...tiers({ 1: true, 24: true }) })).toEqual([
      `1 alert burn_rate_too_fast ${faster}`,
    ])
    expect(await incident()).toMatchObject({ severity: 'critical', acknowledged: null })
    expect(await alertAcknowledgements()).toEqual([
      [faster, null],
      [slower, null],
      ['status', null],
    ])
  })

  test('ends where it fails again, for its alerts too', async () => {
    await world.minute(page)
    await call('POST', '/incidents/1/acknowledge', {})
    await world.minute(warning)
    expect(await incident()).toMatchObject({ state: 'recovering', acknowledged: { by: 'ada' } })
    await world.minute(page)
    expect(await incident()).toMatchObject({ relapses: 1, acknowledged: null })
    expect(await alertAcknowledgements()).toEqual([
      [faster, null],
      [faster, 'ada: '],
      ['status', null],
    ])
  })

  test('of an alert that somebody had acknowledged before it opened stays the first one', async () => {
    const bob = await someone('bob', 'member')
    await world.minute(warning)
    await call('POST', '/notifications/alerts/1/acknowledge', { note: 'small' }, bob)
    await world.minute(page)
    expect((await incident()).acknowledged).toBeNull()
    await call('POST', '/incidents/1/acknowledge', { note: 'large' })
    expect(await alertAcknowledgements()).toEqual([
      [faster, 'ada: large'],
      ['status', 'bob: small'],
    ])
  })

  test('without a body is one without a note', async () => {
    await world.minute(page)
    const { status, body } = await call('POST', '/incidents/1/acknowledge')
    expect([status, body.data.acknowledged]).toMatchObject([200, { by: 'ada', note: '' }])
  })

  test('reaches the incident tool for what it holds', async () => {
    const pagerduty = startPagerDuty()
    closeLater(() => pagerduty.close())
    const configuration = { routing_key: routingKey, api_url: pagerduty.url }
    await world.post('/notifications/channels', { name: 'pager', channel_type: 'pagerduty', configuration })
    await world.rule('burn_rate_too_fast', { channel_id: 3 })
    const deliver = async () => {
      await world.nines.app.delivery.run()
      await world.nines.app.delivery.drain()
    }
    await world.minute({ ...healthy, ...tiers({ 24: true }) })
    await deliver()
    await world.minute({ ...healthy, ...tiers({ 1: true, 24: true }) })
    await deliver()
    await world.minute({ ...healthy, ...tiers({ 1: true }) }) // the slower one ends; the tool holds it until the recovery
    await call('POST', '/incidents/1/acknowledge', {})
    await call('POST', '/incidents/1/acknowledge', {})
    await deliver()
    const sent = pagerduty.received.map(({ json }) => [json.event_action, json.dedup_key])
    const [lower, higher] = sent.map(([, key]) => key)
    expect(sent.slice(0, 2)).toEqual([
      ['trigger', expect.stringMatching(/-incident-1-warning$/)],
      ['trigger', expect.stringMatching(/-incident-1-critical$/)],
    ])
    expect(sent.slice(2)).toEqual([
      ['resolve', lower],
      ['acknowledge', higher],
    ])
  })
})

describe('an incident that is closed by hand', () => {
  test('cannot be changed any more, but has a note still', async () => {
    await world.minute(page)
    world.nines.clock.advance(60_000)
    const { status, body } = await call('POST', '/incidents/1/close')
    const closed = {
      state: 'closed',
      close_reason: 'by_hand',
      closed_by: 'ada',
      recovered_at: null,
      duration_seconds: 60,
    }
    expect([status, body.data]).toMatchObject([
      200,
      { ...closed, closed_at: new Date(testStartMs + 120_000).toISOString() },
    ])
    for (const answer of [
      await call('POST', '/incidents/1/close'),
      await call('POST', '/incidents/1/acknowledge', {}),
      await call('DELETE', '/incidents/1/acknowledge'),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([409, 'Incident is closed'])
    }
    const noted = await call('POST', '/incidents/1/note', { note: ' It was the disk\nagain ' })
    expect([noted.status, noted.body.data.notes]).toMatchObject([200, [{ by: 'ada', note: 'It was the disk\nagain' }]])
    expect((await audited()).map(({ event }: { event: string }) => event)).toEqual([
      'incident_closed',
      'incident_noted',
    ])
  })

  test('leaves its alerts, which open another one only once they have ended and begin again', async () => {
    await world.rule('burn_rate_too_fast')
    await world.minute(page)
    await call('POST', '/incidents/1/close')
    await world.minutes(3, page)
    expect((await call('GET', '/incidents')).body.total).toBe(0)
    expect((await call('GET', '/notifications/alerts')).body.alerts).toMatchObject(
      [
        { name: 'status', incident_id: 1 },
        { name: faster, incident_id: 1 },
      ].toReversed(),
    )
    expect(await world.minute(healthy)).toEqual([])
    await world.minute(page)
    expect((await call('GET', '/incidents')).body.incidents).toMatchObject([{ id: 2, state: 'burning_fast' }])
  })

  test('does not hold back what is new: another alert opens another incident, without those of the first', async () => {
    await world.minute(ticket)
    await call('POST', '/incidents/1/close')
    await world.minute({ ...warning, ...tiers({ 1: true, 24: true }) })
    expect((await incident(2)).alerts).toMatchObject([{ name: faster }])
    expect((await incident(1)).alerts).toMatchObject([{ name: 'status' }, { name: slower }])
  })

  test('notifies who was notified of it of its end, once, unless it had recovered', async () => {
    await world.rule('burn_rate_too_fast')
    await world.minute(page)
    await call('POST', '/incidents/1/close')
    const [, end] = await world.outbox()
    expect(end).toMatchObject({ event: 'recovery', incident_event: 'recovered', channel_id: 1 })
    expect(JSON.parse(end?.metadata ?? '').incident).toMatchObject({ is_up: false, close_reason: 'by_hand' })
    await world.minute(healthy)
    await world.minute(page)
    await world.minute(warning)
    expect(await world.outbox()).toHaveLength(4)
    await call('POST', '/incidents/2/close')
    expect(await world.outbox()).toHaveLength(4)
  })
})

test('an incident has at most 200 notes', async () => {
  await world.minute(page)
  const row = { incident_id: 1, user_id: 1, user_name: 'ada', note: 'x', created_at: testStartMs }
  await world.nines.app.db.write
    .insertInto('incident_notes')
    .values(Array.from({ length: 199 }, () => row))
    .execute()
  expect((await call('POST', '/incidents/1/note', { note: 'last' })).body.data.notes).toHaveLength(200)
  const { status, body } = await call('POST', '/incidents/1/note', { note: 'one more' })
  expect([status, rulesOf(body)]).toEqual([409, 'an incident may have at most 200 notes'])
})

test.each([[{}], [{ note: '' }], [{ note: 7 }], [{ note: 'a'.repeat(1001) }], [{ note: 'a\u0000' }], [[]]])(
  'a note of %j is refused',
  async (body) => {
    await world.minute(page)
    expect((await call('POST', '/incidents/1/note', body)).status).toBe(400)
    expect((await incident()).notes).toEqual([])
  },
)

test('a viewer reads incidents and changes none', async () => {
  const vic = await someone('vic', 'viewer')
  await world.minute(page)
  expect((await call('GET', '/incidents/1', undefined, vic)).status).toBe(200)
  for (const refused of [
    await call('POST', '/incidents/1/acknowledge', {}, vic),
    await call('DELETE', '/incidents/1/acknowledge', undefined, vic),
    await call('POST', '/incidents/1/note', { note: 'x' }, vic),
    await call('POST', '/incidents/1/close', undefined, vic),
  ]) {
    expect(refused.status).toBe(403)
  }
})
