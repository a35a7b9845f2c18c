import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { countedSlo, countingScript } from '../../support/counting-source.ts'
import { type FakeSource, fakeSource } from '../../support/fake-source.ts'
import { rulesOf } from '../../support/rules-of.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(countingScript({ shop: { total: 10, bad: 0 }, cart: { total: 30, bad: 3 } }))
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const call = (method: string, path: string, body?: unknown) => nines.call(method, `/api/v1/slos${path}`, body)

async function createMembers() {
  const shop = (await call('POST', '', { ...countedSlo('shop'), target: 90, time_window: '1d' })).body.id
  const cart = (await call('POST', '', { ...countedSlo('cart'), target: 90, time_window: '1d' })).body.id
  return { shop, cart, ids: [shop, cart] as number[] }
}

const journey = (members: unknown[], more: object = {}, composite: object = {}) => ({
  name: 'Buying',
  target: 90,
  time_window: '1d',
  metric_type: 'availability',
  composite: { method: 'worst', members, ...composite },
  ...more,
})

const membersOf = (ids: number[]) => ids.map((slo_id) => ({ slo_id }))

test('a composite is created, read, listed, changed and deleted as any SLO', async () => {
  const { ids, shop } = await createMembers()
  const created = await call('POST', '', journey(membersOf(ids)))
  const composite = {
    method: 'worst',
    members: ids.map((slo_id) => ({ slo_id, weight: 1 })),
    on_unknown_member: 'unknown',
  }
  expect(created).toMatchObject({ status: 201, body: { composite, metric_query: '', revision: 1, warnings: [] } })
  const { id } = created.body
  expect((await call('GET', `/${id}`)).body).toMatchObject({ composite, composites: [] })
  expect((await call('GET', `/${shop}`)).body).toMatchObject({ composite: null, composites: [{ id, name: 'Buying' }] })
  expect((await call('GET', '')).body.slos[0]).toMatchObject({ id, composite })
  const weighted = {
    method: 'weighted',
    members: [{ slo_id: shop, weight: 2 }, { slo_id: ids[1] }],
    on_unknown_member: 'leave_out',
  }
  expect((await call('PUT', `/${id}`, { composite: weighted })).status).toBe(200)
  expect((await call('GET', `/${id}`)).body).toMatchObject({
    revision: 2,
    composite: {
      ...weighted,
      members: [
        { slo_id: shop, weight: 2 },
        { slo_id: ids[1], weight: 1 },
      ],
    },
  })
  const { changes } = (await call('GET', `/${id}/changes`)).body
  expect(changes[0]).toMatchObject({
    event: 'changed',
    new_revision: true,
    fields: [{ field: 'composite', before: composite }],
  })
  expect((await call('DELETE', `/${shop}`)).body).toEqual({
    message: 'SLO deleted',
    composites: [{ id, name: 'Buying' }],
  })
  expect((await call('DELETE', `/${id}`)).body).toEqual({ message: 'SLO deleted', composites: [] })
})

test('what does not fit is refused by its field, and nothing is stored', async () => {
  const { ids, shop, cart } = await createMembers()
  const other = (await call('POST', '', journey(membersOf(ids)))).body.id
  const timed = (await call('POST', '', { ...journey([]), composite: undefined, metric_query: 'max(share)' })).body.id
  const gone = (await call('POST', '', countedSlo('shop'))).body.id
  await call('DELETE', `/${gone}`)
  const total = (await call('GET', '')).body.total
  const cases: [object, string][] = [
    [journey([{ slo_id: shop }]), 'composite.members'],
    [journey(Array.from({ length: 21 }, (_, n) => ({ slo_id: n + 1 }))), 'composite.members'],
    [journey([{ slo_id: shop }, { slo_id: shop }]), 'composite.members.1.slo_id'],
    [journey([{ slo_id: shop }, { slo_id: 999 }]), 'composite.members.1.slo_id'],
    [journey([{ slo_id: shop }, { slo_id: gone }]), 'composite.members.1.slo_id'],
    [journey([{ slo_id: shop }, { slo_id: other }]), 'composite.members.1.slo_id'],
    [journey([{ slo_id: shop }, { slo_id: timed }], {}, { method: 'events' }), 'composite.members.1.slo_id'],
    [journey([{ slo_id: shop }, { slo_id: cart, weight: 2 }]), 'composite.members.1.weight'],
    [
      journey([{ slo_id: shop }, { slo_id: cart, weight: 0 }], {}, { method: 'weighted' }),
      'composite.members.1.weight',
    ],
    [journey(membersOf(ids), { metric_query: 'up' }), 'metric_query'],
    [journey(membersOf(ids), { source_id: 1 }), 'source_id'],
    [journey(membersOf(ids), {}, { method: 'best' }), 'composite.method'],
  ]
  for (const [body, field] of cases) {
    const answer = await call('POST', '', body)
    expect({ status: answer.status, field: answer.body.problems?.[0]?.field }).toEqual({ status: 400, field })
  }
  expect((await call('GET', '')).body.total).toBe(total)
})

test('a member that is listed twice has the code of a repeated entry', async () => {
  const { shop } = await createMembers()
  const { status, body } = await call('POST', '', journey([{ slo_id: shop }, { slo_id: shop }]))
  expect({ status, problems: body.problems }).toMatchObject({
    status: 400,
    problems: [{ field: 'composite.members.1.slo_id', code: 'duplicate' }],
  })
})

test('a member of another organization is refused as one that does not exist', async () => {
  const { ids } = await createMembers()
  const token = await nines.join('eve')
  const answer = await nines.call('POST', '/api/v1/slos', journey(membersOf(ids)), { token })
  expect(answer).toMatchObject({ status: 400, body: { problems: [{ code: 'unknown' }, { code: 'unknown' }] } })
})

test('a member cannot become a composite, nor count time where its events are added up', async () => {
  const { ids, shop } = await createMembers()
  const timed = (await call('POST', '', { ...journey([]), composite: undefined, metric_query: 'max(share)' })).body.id
  await call('POST', '', journey(membersOf(ids), {}, { method: 'events' }))
  const queries = { good_query: null, bad_query: null, total_query: null }
  const composed = await call('PUT', `/${shop}`, {
    ...queries,
    composite: { method: 'worst', members: membersOf([ids[1] ?? 0, timed]) },
  })
  expect(composed).toMatchObject({
    status: 400,
    body: { details: 'composite: cannot be sent: the SLO is a member of Buying, got an object' },
  })
  const asTime = await call('PUT', `/${shop}`, { ...queries, metric_query: 'max(share)' })
  expect(asTime).toMatchObject({ status: 400, body: { problems: [{ field: 'metric_query' }] } })
})

test('the budget says which member used what', async () => {
  const { ids, shop, cart } = await createMembers()
  const id = async (composite: object) => (await call('POST', '', journey(membersOf(ids), {}, composite))).body.id
  const [worst, events, weighted] = [
    await id({ method: 'worst' }),
    await id({ method: 'events' }),
    await id({ method: 'weighted' }),
  ]
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  const budget = async (slo: number) => (await call('GET', `/${slo}/budget`)).body
  const used = { share_of_used_percent: 100, slo_id: cart, sli: 90, problem: null }
  const unused = { share_of_used_percent: 0, slo_id: shop, sli: 100, problem: null }
  expect(await budget(worst)).toMatchObject({
    sli: 90,
    events: null,
    error_budget: { percentage_used: 100 },
    composite: { method: 'worst', resolution: '1m', is_known: true, members: [unused, used] },
  })
  expect(await budget(events)).toMatchObject({ sli: 92.5, composite: { members: [unused, used] } })
  expect((await budget(events)).events.total).toBeGreaterThan(3_000_000)
  expect(await budget(weighted)).toMatchObject({ sli: 95, composite: { members: [unused, used] } })
  const { points } = (await call('GET', `/${weighted}/series?step=1m&period=1h`)).body
  expect(points.at(-2)).toMatchObject({ sli: 95 })
  const overview = (await nines.call('GET', '/api/v1/slos/overview')).body
  const row = overview.slos.find((one: { id: number }) => one.id === events)
  expect(row.days.filter((day: unknown) => day !== null).length).toBeGreaterThan(0)
  expect((await call('GET', `/${worst}/incidents`)).status).toBe(200)
})

test('a paused or deleted member makes it unknown, or is left out, and is named', async () => {
  const { ids, shop, cart } = await createMembers()
  const strict = (await call('POST', '', journey(membersOf(ids)))).body.id
  const lenient = (await call('POST', '', journey(membersOf(ids), {}, { on_unknown_member: 'leave_out' }))).body.id
  await call('PUT', `/${cart}`, { paused: true })
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  const budget = async (slo: number) => (await call('GET', `/${slo}/budget`)).body
  expect(await budget(strict)).toMatchObject({
    status: 'unknown',
    status_reason: 'unknown_member',
    status_message: 'Not known: cart is paused.',
    sli: null,
    composite: { is_known: false, members: [{ problem: null }, { problem: 'is paused', share_of_used_percent: null }] },
  })
  expect(await budget(lenient)).toMatchObject({ sli: 100, status_message: 'Left out: cart is paused.' })
  await call('PUT', `/${cart}`, { paused: false })
  await call('DELETE', `/${shop}`)
  nines.clock.advance(60_000)
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  expect(await budget(strict)).toMatchObject({ status: 'unknown', status_message: 'Not known: shop is deleted.' })
  expect(await budget(lenient)).toMatchObject({ sli: 90, status_message: 'Left out: shop is deleted.' })
})

test('what needs a source is refused for a composite', async () => {
  const { ids } = await createMembers()
  const { id } = (await call('POST', '', journey(membersOf(ids)))).body
  const calculation = await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: '1h' })
  expect(calculation).toMatchObject({ status: 400, body: { problems: [{ field: 'slo_id' }] } })
  expect((await call('POST', `/${id}/backfill`)).status).toBe(400)
  const each = { action: 'create_for_each', slo: journey(membersOf(ids)), label: 'service', values: ['shop'] }
  expect(await call('POST', '/bulk', each)).toMatchObject({
    status: 400,
    body: { problems: [{ field: 'slo.composite' }] },
  })
})

test('a composite has no service hours and no corrections of its own: those of its members count', async () => {
  const { ids } = await createMembers()
  const hours = { time_zone: 'UTC', hours: [{ days: [1], from: '08:00', to: '18:00' }] }
  const refused = await call('POST', '', journey(membersOf(ids), { service_hours: hours }))
  expect([refused.status, refused.body.problems?.[0]?.field]).toEqual([400, 'service_hours'])
  const { id } = (await call('POST', '', journey(membersOf(ids), { labels: { team: 'pay' } }))).body
  expect((await call('PUT', `/${id}`, { service_hours: hours })).status).toBe(400)

  const from = new Date(nines.clock.now() - 3_600_000).toISOString()
  const correction = { from, to: new Date(nines.clock.now()).toISOString(), category: 'other' }
  const correct = (covered: object) => nines.call('POST', '/api/v1/corrections', { ...correction, ...covered })
  const named = await correct({ slo_ids: [id, ids[0]] })
  expect([named.status, rulesOf(named.body)]).toEqual([
    400,
    `slo_ids: must name the members of a composite, not itself (got ${id})`,
  ])
  expect(await correct({ labels: { team: 'pay' } })).toMatchObject({ status: 201, body: { slo_count: 0 } })
  expect(await correct({ slo_ids: ids })).toMatchObject({ status: 201, body: { slo_count: 2 } })
})

test('a composite does not count as a reader of the default source', async () => {
  const { ids } = await createMembers()
  await call('POST', '', journey(membersOf(ids)))
  const [main] = (await nines.call('GET', '/api/v1/tsdb/sources')).body.sources
  const { slos } = (await nines.call('GET', `/api/v1/tsdb/sources/${main.id}/slos`)).body
  expect([main.slo_count, slos.length]).toEqual([2, 2])
})
