import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listNamedUnended } from '../../../src/notifications/silences/silence-store.ts'
import { getDescribed } from '../../../src/notifications/silences/silences.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { countingReads } from '../../support/counting-reads.ts'
import { lastAudit, type People, people, type Person } from '../../support/people.ts'
import { dump } from '../../support/populated.ts'
import { checkout } from '../../support/slo-calls.ts'

const path = '/api/v1/notifications/silences'
const hour = 3_600_000
const at = (ms: number) => new Date(testStartMs + ms).toISOString()

let nines: TestApp
let who: People
beforeEach(async () => {
  nines = await testApp()
  who = await people(nines)
  for (const labels of [{ team: 'payments', tier: '1' }, { team: 'payments' }, {}]) {
    await nines.call('POST', '/api/v1/slos', { ...checkout, labels })
  }
})
afterEach(() => nines.close())

const ask = (method: string, more = '', body?: unknown, by: Person = who.member) =>
  nines.call(method, `${path}${more}`, body, by)
const good = { slo_id: 1, duration_seconds: 3600, comment: 'Moving house' }
const create = (change: object = {}, by?: Person) => ask('POST', '', { ...good, ...change }, by)

test('silences of other SLOs are not read for one SLO, since an organization may have many', async () => {
  for (const slo_id of [1, 2, 3]) await create({ slo_id })
  await create({ slo_id: null, labels: { team: 'none' } })
  const unended = { organizationId: 1, nowMs: nines.clock.now(), sloIds: [2, null] }
  const read = await listNamedUnended(nines.app.db.read, unended)
  expect(read.map(({ slo_id }) => slo_id).toSorted()).toEqual([2, null])
})

test('the SLOs are read once for all silences whose SLOs are counted at the same time', async () => {
  for (const labels of [{ team: 'payments' }, { tier: '1' }, { team: 'none' }]) await create({ slo_id: null, labels })
  await create()
  const { db, count } = countingReads(nines.app.db.read)
  const read = async (id: number) => (await getDescribed(db, 1, id)).slo_count
  const alone = await read(1)
  const statementsOfOne = count.statements
  count.statements = 0
  expect(await Promise.all([1, 2, 3, 4, 1, 2, 3, 4].map(read))).toEqual([2, 1, 0, 1, alone, 1, 0, 1])
  expect(count.statements).toBeLessThanOrEqual(8 + 2 * (statementsOfOne - 1)) // a count that had begun, and the next
})

test('the SLO names the silence in force that ends last', async () => {
  const silence = async (id: number) =>
    (await nines.call('GET', `/api/v1/slos/${id}`, undefined, who.viewer)).body.silence
  expect(await silence(1)).toBeNull()
  await create({ comment: 'of its own' })
  await create({ slo_id: null, labels: { team: 'payments' }, duration_seconds: 7200, comment: 'of the team' })
  await create({ starts_at: at(hour), duration_seconds: 36_000, comment: 'coming' })
  expect(await silence(1)).toEqual({
    id: 2,
    until: at(2 * hour),
    comment: 'of the team',
    labels: { team: 'payments' },
    created_by_name: 'member',
  })
  expect(await silence(2)).toMatchObject({ id: 2 })
  expect(await silence(3)).toBeNull()
  await ask('DELETE', '/2')
  expect(await silence(1)).toMatchObject({ id: 1, comment: 'of its own', labels: null })
  nines.clock.advance(2 * hour)
  expect(await silence(1)).toMatchObject({ id: 3, comment: 'coming' })
})

describe('a silence', () => {
  test('of an SLO is made and read by all, and is in the audit log', async () => {
    const data = {
      id: 1,
      slo_id: 1,
      slo_name: 'Checkout',
      labels: null,
      state: 'active',
      starts_at: at(0),
      until: at(hour),
      comment: 'Moving house',
      slo_count: 1,
      created_by: who.member.id,
      created_by_name: 'member',
      created_at: at(0),
    }
    const { status, body } = await create()
    expect([status, body]).toEqual([201, { success: true, message: 'Silence created', data }])
    expect(await lastAudit(nines)).toEqual({
      event: 'silence_created',
      user_id: who.member.id,
      organization_id: 1,
      details: { silence_id: 1, slo_id: 1, until: at(hour) },
    })
    for (const role of ['admin', 'member', 'viewer'] as const) {
      expect((await ask('GET', '/1', undefined, who[role])).body).toEqual({ success: true, data })
      expect((await ask('GET', '', undefined, who[role])).body).toEqual({
        success: true,
        silences: [data],
        total: 1,
        page: 1,
        page_size: 50,
        has_next: false,
      })
    }
  })

  test('of labels covers the SLOs that have all of them', async () => {
    const counts = []
    for (const labels of [
      { team: 'payments' },
      { tier: ' 1 ', team: 'payments' },
      { team: 'Payments' },
      { tier: '2' },
    ]) {
      counts.push((await create({ slo_id: null, labels })).body.data.slo_count)
    }
    expect(counts).toEqual([2, 1, 0, 0])
    expect((await ask('GET', '/2')).body.data).toMatchObject({ slo_id: null, slo_name: null, labels: { tier: '1' } })
    expect((await lastAudit(nines)).details).toEqual({ silence_id: 4, labels: { tier: '2' }, until: at(hour) })
    await nines.call('DELETE', '/api/v1/slos/2')
    await nines.call('PUT', '/api/v1/slos/3', { labels: { team: 'payments', tier: '1' } })
    await create()
    await nines.call('DELETE', '/api/v1/slos/1')
    const { silences } = (await ask('GET')).body
    expect(silences.map(({ slo_count }: { slo_count: number }) => slo_count)).toEqual([0, 0, 0, 1, 1])
  })

  test.each([
    ['constructor', 'x'],
    ['hasOwnProperty', '__proto__'],
    ['team', '"} , {"team": "payments'],
    ['team', "' OR 1=1 --"],
    ['team', '%'],
    ['team', '<script>alert(1)</script>'],
    ['team', '😀\u202e'],
  ])('of the label %p: %p is kept as it was sent, and covers what has just that', async (key, value) => {
    const { status, body } = await create({ slo_id: undefined, labels: { [key]: value } })
    expect([status, body.data.labels, body.data.slo_count]).toEqual([201, { [key]: value }, 0])
    await nines.call('PUT', '/api/v1/slos/3', { labels: { [key]: value, other: 'x' } })
    expect((await ask('GET', '/1')).body.data).toMatchObject({ labels: { [key]: value }, slo_count: 1 })
  })

  test('is changed in its end and comment only, and the audit log says how far it reaches', async () => {
    await create()
    const sent = { until: at(2 * hour), comment: ' Still moving ', slo_id: 2, labels: { a: 'b' }, starts_at: at(hour) }
    const { status, body } = await ask('PUT', '/1', sent)
    const changed = { slo_id: 1, labels: null, starts_at: at(0), until: at(2 * hour), comment: 'Still moving' }
    expect([status, body]).toMatchObject([200, { success: true, message: 'Silence updated', data: changed }])
    const details = {
      silence_id: 1,
      slo_id: 1,
      until: at(2 * hour),
      until_before: at(hour),
      changed: ['comment', 'until'],
    }
    expect((await lastAudit(nines)).details).toEqual(details)
    expect((await ask('PUT', '/1', { comment: 'Done' })).body.data).toMatchObject({ ...changed, comment: 'Done' })
    expect((await lastAudit(nines)).details).toMatchObject({ changed: ['comment'] })
    const { audit_log: before } = dump(nines)
    expect((await ask('PUT', '/1', { until: at(2 * hour) })).status).toBe(200)
    expect(dump(nines).audit_log).toEqual(before)
    expect((await ask('PUT', '/1', { until: at(1) })).body.data.until).toBe(at(1))
  })

  test('stays when its author was deleted', async () => {
    await create()
    await nines.call('DELETE', `/api/v1/organization/users/${who.member.id}`)
    expect((await ask('GET', '/1', undefined, who.admin)).body.data).toMatchObject({
      created_by: null,
      created_by_name: null,
    })
  })

  test('is not made, changed or ended by a viewer', async () => {
    await create()
    const before = dump(nines)
    for (const [method, more, body] of [
      ['POST', '', good],
      ['POST', '', {}],
      ['PUT', '/1', { comment: 'Mine' }],
      ['PUT', '/99', { comment: 'Mine' }],
      ['DELETE', '/1', undefined],
    ] as const) {
      expect((await ask(method, more, body, who.viewer)).status).toBe(403)
    }
    expect(dump(nines)).toEqual(before)
  })

  test('of another organization is neither seen nor touched, nor made of its SLOs', async () => {
    await create()
    const before = dump(nines)
    for (const [method, body] of [['GET'], ['PUT', { comment: 'Mine' }], ['DELETE']] as const) {
      const theirs = await ask(method, '/1', body, who.stranger)
      expect([theirs.status, theirs.text]).toEqual([404, (await ask(method, '/99', body, who.stranger)).text])
    }
    const { status, body } = await create({}, who.stranger)
    expect([status, body.error]).toEqual([404, 'SLO not found'])
    expect((await ask('GET', '?state=all', undefined, who.stranger)).body.total).toBe(0)
    expect(dump(nines)).toEqual(before)
    const labelled = { slo_id: undefined, labels: { team: 'payments' } }
    expect((await create(labelled, who.stranger)).body.data.slo_count).toBe(0)
  })

  test('is not made of an SLO that was deleted, or never was', async () => {
    await nines.call('DELETE', '/api/v1/slos/2')
    const before = dump(nines)
    for (const slo_id of [2, 99]) {
      const { status, body } = await create({ slo_id })
      expect([status, body.error]).toEqual([404, 'SLO not found'])
    }
    expect(dump(nines)).toEqual(before)
  })
})
