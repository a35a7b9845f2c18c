import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { restartBackfills } from '../../src/evaluation/restart-backfills.ts'
import { listCheckpoints, putCheckpoints } from '../../src/ledger/checkpoint-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
let eve: string
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  eve = await nines.join('eve')
})
afterAll(() => nines.close())

const reopen = (organizationId: number) => restartBackfills(nines.app.db, organizationId, nines.clock.now())

const statusOf = async (id: number, token?: string) =>
  (await nines.call('GET', `/api/v1/slos/${id}/backfill`, undefined, token === undefined ? {} : { token })).body.status

test('SLOs over the embedded source query their past again, and no others', async () => {
  const elsewhere = { name: 'elsewhere', api_url: 'http://127.0.0.1:9' }
  const { body: source } = await nines.call('POST', '/api/v1/tsdb/sources', elsewhere)
  const other = { ...checkout, source_id: source.id }
  for (const body of [checkout, checkout, { ...checkout, source_id: 1 }, other])
    await nines.call('POST', '/api/v1/slos', body)
  await nines.call('POST', '/api/v1/slos', checkout, { token: eve })
  await nines.call('DELETE', '/api/v1/slos/2')
  for (const id of [1, 3, 4]) await nines.call('DELETE', `/api/v1/slos/${id}/backfill`)
  await nines.call('DELETE', '/api/v1/slos/5/backfill', undefined, { token: eve })

  expect(await reopen(1)).toBe(2)
  expect(await Promise.all([1, 3, 4].map((id) => statusOf(id)))).toEqual(['waiting', 'waiting', 'cancelled'])
  expect(await statusOf(5, eve)).toBe('cancelled')
})

test('a past that has half been asked for begins again', async () => {
  const half = { chunks: 10, chunks_done: 5, buckets: 7, status: 'running' } as const
  await nines.app.db.write.updateTable('backfills').set(half).where('slo_id', '=', 1).execute()
  await reopen(1)
  expect((await nines.call('GET', '/api/v1/slos/1/backfill')).body).toMatchObject({ status: 'waiting', slices: 0 })
})

test('what was known of a whole window is forgotten with it, but not that of others', async () => {
  const checkpoint = {
    origin: '1 2592000s',
    end_at: 1,
    counted: 0,
    total: 0,
    left_until: 0,
    left_counted: 0,
    left_total: 0,
  }
  const all = [1, 4, 5].map((slo_id) => ({ slo_id, invalidated_by: null, ...checkpoint }))
  await nines.app.db.write.transaction().execute((trx) => putCheckpoints(trx, all))
  await reopen(1)
  expect([...(await listCheckpoints(nines.app.db.read, [1, 4, 5])).keys()]).toEqual([4, 5])
})

test('answers that were kept for ever are not, in this organization', async () => {
  const names = [1, 2].flatMap((organizationId) => [
    { organizationId, key: 'settled', ttlMs: null },
    { organizationId, key: 'passing', ttlMs: 60_000 },
  ])
  const { cache, db } = nines.app
  for (const name of names) await cache.put({ ...name, query: 'q', sloId: 0, timeWindow: '1h', result: '1' })
  await cache.flush()
  await reopen(1)
  const left = await db.read.selectFrom('cache_entries').select(['organization_id', 'key']).orderBy('id').execute()
  expect(left.map(({ organization_id, key }) => `${organization_id} ${key}`)).toEqual([
    '1 passing',
    '2 settled',
    '2 passing',
  ])
})

test('of many SLOs some are reopened at a time, with turns of the event loop between', async () => {
  const token = await nines.join('bob')
  const count = 60
  for (let at = 0; at < count; at += 1) await nines.call('POST', '/api/v1/slos', checkout, { token })
  const ofBob = nines.app.db.read.selectFrom('backfills').where('organization_id', '=', 3)
  await nines.app.db.write.updateTable('backfills').set({ status: 'done' }).where('organization_id', '=', 3).execute()
  const seen: number[] = []
  const ending = new AbortController()
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const waiting = await ofBob.select('slo_id').where('status', '=', 'waiting').execute()
      seen.push(waiting.length)
      await yieldToEventLoop()
    }
  })()
  expect(await reopen(3)).toBe(count)
  ending.abort()
  await watching
  const between = seen.filter((waiting) => waiting > 0 && waiting < count)
  expect(between.length).toBeGreaterThan(0) // other work ran between; on a busy machine it may miss one of the two turns
  expect(between.filter((waiting) => waiting % 25 !== 0)).toEqual([])
})

test('an organization without an embedded source has none to reopen', async () => {
  await nines.app.db.write.updateTable('data_sources').set({ api_url: 'http://127.0.0.1:9' }).execute()
  expect(await reopen(1)).toBeNull()
})
