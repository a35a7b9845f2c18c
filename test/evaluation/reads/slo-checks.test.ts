import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
let site: Receiver
let isDown = false

beforeEach(async () => {
  isDown = false
  nines = await testApp({ env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600' } })
  await nines.join('ada')
  site = startReceiver(() => new Response('welcome', { status: isDown ? 503 : 200 }))
  for (const name of ['site', 'other']) {
    await nines.call('POST', '/api/v1/embedded/probes', { name, type: 'http', target: `${site.url}/${name}` })
  }
})
afterEach(async () => {
  await site.close()
  await nines.close()
})

const made = async (metric_query: string): Promise<number> =>
  (await nines.call('POST', '/api/v1/slos', { ...checkout, metric_query, force: true })).body.id
const checks = (id: number) => nines.call('GET', `/api/v1/slos/${id}/checks`)

/** Runs what is due in so many seconds. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
  }
}

test('an SLO has the checks of the probes that it reads, newest first, with why they failed', async () => {
  const id = await made('avg(probe_success{job="site"})')
  await pass(30)
  isDown = true
  await pass(30)
  const { status, body } = await checks(id)
  expect(status).toBe(200)
  const first = { at: expect.any(String), probe: 'site', ok: true, duration_ms: expect.any(Number), error: null }
  expect(body.checks.at(-1)).toEqual(first)
  expect(body.checks[0]).toEqual({ ...first, ok: false, error: 'HTTP 503, expected 2xx' })
  const times = body.checks.map(({ at }: { at: string }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
  expect(Date.parse(body.next_at)).toBeGreaterThan(nines.clock.now())
})

test('an SLO over two probes has the checks of both', async () => {
  const id = await made('min(probe_success{job=~"site|other"})')
  await pass(30)
  const { body } = await checks(id)
  expect(new Set(body.checks.map(({ probe }: { probe: string }) => probe))).toEqual(new Set(['site', 'other']))
})

test.each(['avg(up)', 'avg(probe_success{job="elsewhere"})'])('an SLO over %s has no checks', async (query) => {
  const id = await made(query)
  await pass(30)
  expect((await checks(id)).body).toEqual({ slo_id: id, next_at: null, checks: [] })
})

test('an SLO of another organization has no checks to read', async () => {
  expect((await checks(99)).status).toBe(404)
})
