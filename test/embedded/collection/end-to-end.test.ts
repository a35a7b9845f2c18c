import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { checkout } from '../../support/slo-calls.ts'
import { shareWorkers } from '../../support/shared-workers.ts'

let nines: TestApp
let site: Receiver
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, workers: shareWorkers() })
  await nines.join('ada')
  site = startReceiver(({ path }) =>
    path === '/metrics' ? new Response('jobs_total{job="print"} 7\n') : new Response('welcome'),
  )
})
afterEach(async () => {
  await site.close()
  await nines.close()
})

const path = '/api/v1/embedded'

/** Advances the clock by so many seconds, with a tick in each. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
  }
}

/** Result of an instant query now, without timestamps. */
async function ask(query: string): Promise<unknown> {
  const { body } = await nines.call(
    'GET',
    `${path}/prometheus/api/v1/query?query=${encodeURIComponent(query)}&time=${nines.clock.now() / 1000}`,
  )
  return body.data.result.map(({ metric, value }: { metric: object; value: [number, string] }) => [metric, value[1]])
}

const target = () => ({ name: 'site', url: `${site.url}/metrics`, interval_seconds: 15, labels: { rack: 'b' } })
const probe = (settings: object = {}) => ({ name: 'page', type: 'http', target: `${site.url}/`, settings })
const instance = () => site.url.replace('http://', '')

test('a target that is made over HTTP is scraped, and its samples are queried', async () => {
  await nines.call('POST', `${path}/targets`, target())
  await pass(16)
  const own = { job: 'site', instance: instance(), rack: 'b' }
  expect(await ask('up{job="site"}')).toEqual([[{ __name__: 'up', ...own }, '1']])
  expect(await ask('jobs_total')).toEqual([[{ __name__: 'jobs_total', ...own, exported_job: 'print' }, '7']])
  const { body } = await nines.call('GET', `${path}/targets/2`)
  expect(body.health).toMatchObject({ status: 'up', last_error: null, samples: 1 })
  expect(Date.parse(body.health.last_at)).toBeGreaterThan(nines.clock.now() - 16_000)
  site.next(() => new Response('', { status: 500 }))
  await pass(15)
  expect(await ask('up{job="site"}')).toEqual([[{ __name__: 'up', ...own }, '0']])
  expect(await ask('jobs_total')).toEqual([])
  expect((await nines.call('GET', `${path}/targets/2`)).body.health).toMatchObject({
    status: 'down',
    last_error: 'HTTP 500',
  })
})

test('a probe that is made over HTTP is run, and its samples are queried', async () => {
  await nines.call('POST', `${path}/probes`, probe({ body_matches: '^welcome$' }))
  await pass(30)
  const own = { job: 'page', instance: `${site.url}/` }
  expect(await ask('probe_success')).toEqual([[{ __name__: 'probe_success', ...own }, '1']])
  expect(await ask('probe_http_status_code')).toEqual([[{ __name__: 'probe_http_status_code', ...own }, '200']])
  site.next(() => new Response('go away'))
  await pass(30)
  expect(await ask('probe_success')).toEqual([[{ __name__: 'probe_success', ...own }, '0']])
  expect((await nines.call('GET', `${path}/probes/1`)).body.health).toMatchObject({
    status: 'down',
    last_error: expect.stringMatching(/body/),
  })
})

test.each([
  ['deleted', () => nines.call('DELETE', `${path}/targets/2`)],
  ['switched off', () => nines.call('PUT', `${path}/targets/2`, { is_active: false })],
  ['given other labels', () => nines.call('PUT', `${path}/targets/2`, { labels: { rack: 'c' } })],
])('the series of a target that is %s end at once, and its samples stay', async (_, change) => {
  await nines.call('POST', `${path}/targets`, target())
  await pass(16)
  expect(await ask('jobs_total{rack="b"}')).toHaveLength(1)
  expect((await change()).status).toBe(200)
  nines.clock.advance(2)
  expect(await ask('{rack="b"}')).toEqual([])
  expect(await ask('count_over_time(jobs_total{rack="b"}[1m])')).toHaveLength(1)
})

test('nines measures itself, and its own up is distinguished from that of the scrape', async () => {
  await pass(31)
  const own = { job: 'nines', instance: 'nines:metrics' }
  expect(await ask('up{service=""}')).toEqual([[{ __name__: 'up', ...own }, '1']])
  expect(await ask('up{service="nines"}')).toEqual([[{ __name__: 'up', ...own, service: 'nines' }, '1']])
  expect(await ask('nines_slos')).toEqual([[{ __name__: 'nines_slos', ...own }, '0']])
  const { body } = await nines.call('GET', `${path}/prometheus/api/v1/metadata?metric=nines_slos`)
  expect(body.data.nines_slos).toMatchObject([{ type: 'gauge' }])
})

test('nines tells the first organization of its own SLOs, and names no other', async () => {
  const eve = await nines.join('eve')
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Secret' }, { token: eve })
  await pass(31)
  expect(await ask('count by (slo_name) (slo_status)')).toEqual([[{ slo_name: checkout.name }, '4']])
  expect(await ask('{organization="eve Inc"}')).toEqual([])
  expect(await ask('nines_slos')).toMatchObject([[{}, '2']])
})

test('an organization sees what it collects, and nothing of another', async () => {
  const eve = await nines.join('eve')
  await nines.call('POST', `${path}/targets`, target(), { token: eve })
  await pass(30)
  expect(await ask('jobs_total')).toEqual([])
  const { body } = await nines.call(
    'GET',
    `${path}/prometheus/api/v1/query?query=jobs_total&time=${nines.clock.now() / 1000}`,
    undefined,
    { token: eve },
  )
  expect(body.data.result).toHaveLength(1)
})

describe('a test of', () => {
  test('a target shows what it gives, and keeps nothing', async () => {
    await nines.call('POST', `${path}/targets`, { ...target(), is_active: false })
    const { status, body } = await nines.call('POST', `${path}/targets/2/test`)
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        error: null,
        duration_ms: expect.any(Number),
        sample_count: 1,
        samples: [{ name: 'jobs_total', labels: { job: 'print' }, value: '7' }],
        family_count: 1,
        families: [{ name: 'jobs_total', type: 'unknown', help: '', samples: 1 }],
        findings: null,
      },
    ])
    expect(await ask('{job="site"}')).toEqual([])
    site.next(() => new Response('1 2 3'))
    const failed = (await nines.call('POST', `${path}/targets/2/test`)).body
    expect(failed).toMatchObject({ ok: false, error: expect.stringContaining('line 1'), samples: [] })
    expect((await nines.call('GET', `${path}/targets/2`)).body.health.status).toBe('unknown')
  })

  test('a probe says why it is no success', async () => {
    await nines.call('POST', `${path}/probes`, probe({ expected_status: [404] }))
    const { body } = await nines.call('POST', `${path}/probes/1/test`)
    expect(body).toMatchObject({ ok: false, error: expect.stringContaining('200') })
    expect(body.samples).toContainEqual({ name: 'probe_success', labels: {}, value: '0' })
  })
})

test('closing while a target hangs waits for nothing but its end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  site.next(async () => {
    asked.resolve()
    await promise
    return new Response('')
  })
  await nines.call('POST', `${path}/targets`, { ...target(), interval_seconds: 60, timeout_seconds: 60 })
  await nines.call('DELETE', `${path}/targets/1`)
  nines.app.collector.tick()
  await nines.app.collector.drain()
  for (let second = 0; second < 60; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
  }
  await asked.promise
  nines.app.startClosing()
  await nines.app.collector.drain()
  expect((await nines.call('GET', `${path}/targets/2`)).body.health.status).toBe('unknown')
  resolve()
})
