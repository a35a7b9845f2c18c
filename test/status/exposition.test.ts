import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import type { NotificationRow } from '../../src/db/tables/tables.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { evaluation, put } from '../support/evaluations.ts'
import { readExposition } from '../support/exposition.ts'
import { addFailed } from '../support/failed-notification.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
let source: FakeSource
beforeEach(async () => {
  source = fakeSource(() => 0.9995)
  nines = await testApp({ env: { SOURCE_URL: source.url, METRICS_TOKEN: 'sesame' } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const scrape = async () => readExposition((await nines.call('GET', '/metrics', undefined, { token: 'sesame' })).text)

test('every family has its help and type, in one place, and no sample twice', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  const { types, samples } = await scrape()
  expect(types.size).toBeGreaterThan(30)
  expect(samples.length).toBeGreaterThan(100)
  expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([])
})

test('evaluations and the questions they put are counted', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  const { value } = await scrape()
  expect(value('nines_evaluations_total', { outcome: 'measured' })).toBe(1)
  expect(value('nines_evaluation_batch_duration_seconds_count')).toBe(1)
  expect(value('nines_evaluation_last_success_timestamp_seconds')).toBe(nines.clock.now() / 1000)
  const answered = value('nines_source_requests_total', { source_id: '1', outcome: 'answered' })
  expect(answered).toBe(source.asked.length)
  expect(value('nines_source_request_duration_seconds_count', { source_id: '1' })).toBe(answered)
  source.script(() => {
    throw new Error('no such function')
  })
  await nines.call('POST', '/api/v1/tsdb/query', { query: 'nonsense(up)' })
  await nines.app.db.write.updateTable('data_sources').set({ api_url: 'http://127.0.0.1:9' }).execute()
  await nines.app.evaluator.evaluateAll()
  const later = await scrape()
  expect(later.value('nines_source_requests_total', { outcome: 'refused' })).toBe(1)
  expect(later.value('nines_source_requests_total', { outcome: 'unavailable' })).toBeGreaterThan(0)
  expect(later.value('nines_evaluations_total', { outcome: 'failed' })).toBe(1)
})

test('files that are away are logged by their message, once', async () => {
  const [folder, away] = [nines.dataDir, `${nines.dataDir}-away`]
  renameSync(folder, away)
  await scrape()
  const { value } = await scrape()
  renameSync(away, folder)
  expect(value('nines_metrics_left_out')).toBe(1)
  const lines = nines.logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'metrics left out')
  expect(lines.map(({ part, error }) => [part, error])).toEqual([
    ['sizes', expect.stringMatching(/^ENOENT: no such file or directory, stat '[^\n]+'$/)],
  ])
})

test('hits and misses of the cache are counted', async () => {
  const path = '/api/v1/cache/entry'
  await nines.call('GET', `${path}/none`)
  await nines.call('POST', path, { key: 'k', query: 'up', slo_id: 1, time_window: '1h', result: 1 })
  await nines.call('GET', `${path}/k`)
  await nines.call('GET', `${path}/k`)
  const { value } = await scrape()
  expect([value('cache_hits'), value('cache_misses')]).toEqual([2, 1])
})

test('the ledger is as old as its newest value, and without one has no age', async () => {
  const age = async () => (await scrape()).value('nines_ledger_lag_seconds')
  for (const name of ['one', 'two']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
  expect(await age()).toBeUndefined()
  const at = (secondsAgo: number) => ({ atSeconds: nines.clock.now() / 1000 - secondsAgo })
  await put(nines.app.db.write, evaluation({ sloId: 1, ...at(600) }), evaluation({ sloId: 2, ...at(120) }))
  nines.clock.advance(500)
  expect(await age()).toBe(120.5)
  await nines.call('DELETE', '/api/v1/slos/2')
  expect(await age()).toBe(600.5)
})

test('the outbox has a depth and an age by status, over all organizations', async () => {
  const outbox = async () => {
    const { value } = await scrape()
    return ['pending', 'sending'].map((status) => [
      value('nines_outbox_notifications', { status }),
      value('nines_outbox_oldest_age_seconds', { status }),
    ])
  }
  const empty = [0, 0]
  expect(await outbox()).toEqual([empty, empty])
  const { write } = nines.app.db
  await nines.join('eve')
  await nines.call('POST', '/api/v1/slos', checkout)
  const add = async (organization_id: number, status: NotificationRow['status']) => {
    const of = { name: `${status}${nines.clock.now()}`, organization_id, slo_id: 1, channel_id: 1 }
    const id = await addFailed(write, { ...of, nowMs: nines.clock.now() })
    await write.updateTable('notifications').set({ status }).where('id', '=', id).execute()
    nines.clock.advance(30_000)
  }
  await add(1, 'delivered')
  await add(2, 'pending')
  await add(1, 'pending')
  await add(1, 'sending')
  expect(await outbox()).toEqual([
    [2, 90],
    [1, 30],
  ])
})

test('the outcome of a notification is counted by the type of its channel', async () => {
  const { body: slo } = await nines.call('POST', '/api/v1/slos', checkout)
  // answers 404, which is not retried
  const configuration = { webhook_url: `${source.url}/hook`, format: 'nines' }
  const channel = { name: 'hook', channel_type: 'webhook', configuration, max_retries: 0 }
  const made = await nines.call('POST', '/api/v1/notifications/channels', channel)
  const wanted = { slo_id: slo.id, channel_id: made.body.data.id, alert_type: 'violation', subject: 's', message: 'm' }
  await nines.call('POST', '/api/v1/notifications/rules', wanted)
  await nines.app.delivery.run()
  expect((await scrape()).all('nines_deliveries_total')).toMatchObject([
    { labels: { channel_type: 'webhook', outcome: 'failed' }, value: 1 },
  ])
})

test('backfills by status, sizes of the database, and the process itself', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  const { value, all } = await scrape()
  expect(value('nines_backfills', { status: 'waiting' })).toBe(1)
  expect(all('nines_database_size_bytes').map(({ labels }) => labels['file'])).toEqual([
    'main',
    'wal',
    'samples',
    'samples_wal',
  ])
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds']) {
    expect(value(name)).toBeGreaterThan(0)
  }
  expect(value('process_max_fds')).toBeGreaterThan(value('process_open_fds') ?? Infinity)
  expect(Math.abs(Date.now() / 1000 - process.uptime() - (value('process_start_time_seconds') ?? 0))).toBeLessThan(2)
})

test('up is 1 until nines is closing, and is not the up of the scraper', async () => {
  expect((await scrape()).all('up')).toEqual([{ name: 'up', labels: { service: 'nines' }, value: 1 }])
  nines.app.startClosing()
  expect((await scrape()).value('up')).toBe(0)
})
