import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { shareWorkers } from '../../support/shared-workers.ts'

let nines: TestApp
let shop: Receiver
beforeEach(async () => {
  shop = startReceiver(({ path }) =>
    path === '/metrics'
      ? new Response('# TYPE orders_total counter\norders_total{code="200"} 7\norders_total{code="503"} 1\n')
      : new Response('down', { status: 503 }),
  )
  nines = await testApp({ env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '60' }, workers: shareWorkers() })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  await shop.close()
})

async function create(path: string, body: object): Promise<number> {
  const { status, body: created } = await nines.call('POST', `/api/v1/${path}`, body)
  expect([status, created.error]).toEqual([201, undefined])
  return created.id
}
const createSlo = (name: string, query: object) =>
  create('slos', { name, target: 99, time_window: '30d', metric_type: 'availability', force: true, ...query })
const createTarget = (name: string) =>
  create('embedded/targets', { name, url: `${shop.url}/metrics`, interval_seconds: 10 })
const createProbe = (name: string) =>
  create('embedded/probes', { name, type: 'http', target: `${shop.url}/${name}`, interval_seconds: 10 })

/** Lets minutes pass with their scrapes, probes and evaluations. */
async function minutes(count: number): Promise<void> {
  for (let second = 0; second < count * 60; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
    if (second % 60 === 59) await nines.app.evaluator.evaluateAll()
  }
}

const read = async (path: string) => (await nines.call('GET', `/api/v1/embedded/${path}/slos`)).body
const slo = (name: string, more: object = {}) => ({
  id: expect.any(Number),
  name,
  reads_others: false,
  incident_id: null,
  ...more,
})

test('a target names the SLOs that read a series of it, also by other labels than its own', async () => {
  const [eu, us] = [await createTarget('shop-eu'), await createTarget('shop-us')]
  const good = 'sum(rate(orders_total{job="shop-eu",code!~"5.."}[5m]))'
  await createSlo('Orders EU', { metric_query: `${good} / sum(rate(orders_total{job="shop-eu"}[5m]))` })
  await createSlo('All orders', {
    metric_query: 'sum(rate(orders_total{code="200"}[5m])) / sum(rate(orders_total[5m]))',
  })
  await createSlo('Other', { metric_query: 'avg(payments_up{job=~"shop-.*"})' })
  await createSlo('Another code', { metric_query: 'avg(orders_total{job="shop-eu",code="404"})' })
  expect(await read(`targets/${eu}`)).toEqual({ slos: [], total: 0 }) // it has no series yet
  await minutes(1)
  expect(await read(`targets/${eu}`)).toEqual({
    slos: [slo('All orders', { reads_others: true }), slo('Orders EU')],
    total: 2,
  })
  expect((await read(`targets/${us}`)).slos).toEqual([slo('All orders', { reads_others: true })])
})

test('a probe names the SLOs of its success from the start, with the incident that ends with it', async () => {
  const [cart, search] = [await createProbe('cart'), await createProbe('search')]
  const cartSlo = await createSlo('Cart answers', { metric_query: 'avg_over_time(probe_success{job="cart"}[5m])' })
  await createSlo('All answer', { metric_query: 'avg(avg_over_time(probe_success[5m]))' })
  nines.app.collector.tick()
  await nines.app.collector.drain()
  expect((await read(`probes/${cart}`)).slos).toEqual([slo('All answer', { reads_others: true }), slo('Cart answers')])
  await createSlo('Cart is fast', {
    metric_query: 'probe_duration_seconds{job="cart"}',
    threshold: 1,
    threshold_op: 'lte',
  })
  await minutes(3)
  const { incidents } = (await nines.call('GET', '/api/v1/incidents')).body
  const { id: incident_id } = incidents.find(({ slo_id }: { slo_id: number }) => slo_id === cartSlo)
  expect((await read(`probes/${cart}`)).slos).toEqual([
    slo('All answer', { reads_others: true }),
    slo('Cart answers', { incident_id }),
    slo('Cart is fast'),
  ])
  await nines.call('PUT', `/api/v1/embedded/probes/${search}`, { is_active: false })
  const all = (await read(`probes/${cart}`)).slos[0]
  expect(all).toMatchObject({ name: 'All answer', reads_others: false, incident_id: expect.any(Number) })
})
