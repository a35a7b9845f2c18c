import { describe, expect, test } from 'bun:test'
import { listBackfillsToDo, updateBackfill } from '../../src/slos/backfills/store.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout, sloCalls } from '../support/slo-calls.ts'

const on = sloCalls()
const call = (method: string, id: number) => on.nines.call(method, `/api/v1/slos/${id}/backfill`)
const write = () => on.nines.app.db.write
const now = () => ({ updated_at: on.nines.clock.now() })

describe('the backfill of an SLO', () => {
  test('says how far it is', async () => {
    const { body } = await on.create()
    const created_at = new Date(on.nines.clock.now()).toISOString()
    const waiting = {
      slo_id: body.id,
      revision: 1,
      status: 'waiting',
      progress: 0,
      chunks: 0,
      chunks_done: 0,
      slices: 0,
      error: null,
      created_at,
      updated_at: created_at,
    }
    expect(await call('GET', body.id)).toMatchObject({ status: 200, body: waiting })
    on.nines.clock.advance(5000)
    const quarter = { status: 'running', chunks: 8, chunks_done: 2 } as const
    expect(await updateBackfill(write(), body.id, 1, { ...quarter, buckets: 2880, ...now() })).toBe(true)
    const updated_at = new Date(on.nines.clock.now()).toISOString()
    expect((await call('GET', body.id)).body).toEqual({
      ...waiting,
      ...quarter,
      slices: 2880,
      progress: 0.25,
      updated_at,
    })
    await updateBackfill(write(), body.id, 1, { status: 'done', ...now() })
    expect((await call('GET', body.id)).body).toMatchObject({ status: 'done', progress: 1 })
  })

  test.each(['waiting', 'running'] as const)('can be cancelled while it is %s, and begun again', async (status) => {
    const { body } = await on.create()
    await updateBackfill(write(), body.id, 1, { status, chunks: 4, chunks_done: 1, buckets: 7, ...now() })
    expect(await call('DELETE', body.id)).toMatchObject({ status: 200, body: { message: 'Backfill cancelled' } })
    expect(await updateBackfill(write(), body.id, 1, { status: 'running', chunks_done: 2, ...now() })).toBe(false)
    expect((await call('GET', body.id)).body).toMatchObject({ status: 'cancelled', progress: 0.25, slices: 7 })
    on.nines.clock.advance(60_000)
    const begun = { status: 'waiting', progress: 0, chunks: 0, chunks_done: 0, slices: 0 }
    expect(await call('POST', body.id)).toMatchObject({ status: 200, body: begun })
    expect((await call('GET', body.id)).body).toMatchObject(begun)
  })

  test.each(['done', 'failed', 'cancelled'] as const)('cannot be cancelled once it is %s', async (status) => {
    const { body } = await on.create()
    await updateBackfill(write(), body.id, 1, { status, error: 'why', ...now() })
    const refused = { success: false, error: 'Backfill is over', details: `status: ${status}` }
    expect(await call('DELETE', body.id)).toMatchObject({ status: 409, body: refused })
    expect((await call('GET', body.id)).body).toMatchObject({ status, error: 'why' })
    expect((await call('POST', body.id)).body).toMatchObject({ status: 'waiting', error: null })
  })

  test('that runs goes on when it is begun again', async () => {
    const { body } = await on.create()
    await updateBackfill(write(), body.id, 1, { status: 'running', chunks: 4, chunks_done: 3, ...now() })
    expect(await call('POST', body.id)).toMatchObject({ status: 200, body: { status: 'running', chunks_done: 3 } })
  })

  test('is not begun for a deleted SLO', async () => {
    const { body } = await on.create()
    await on.remove(body.id)
    expect(await call('POST', body.id)).toMatchObject({ status: 404, body: { error: 'SLO not found' } })
    expect((await call('GET', body.id)).body.status).toBe('cancelled')
  })
})

test('a measurement for an earlier revision changes nothing of this one’s', async () => {
  const { body } = await on.create()
  await on.change(body.id, { metric_query: 'up' })
  expect(await updateBackfill(write(), body.id, 1, { status: 'done', ...now() })).toBe(false)
  expect((await call('GET', body.id)).body).toMatchObject({ revision: 2, status: 'waiting' })
  expect(await updateBackfill(write(), body.id, 2, { status: 'done', ...now() })).toBe(true)
})

test('what is to do comes oldest first, a number of each source, of active SLOs only', async () => {
  const nines = await joinedApp()
  const stranger = await nines.join('eve')
  const add = async (name: string, change = {}, token?: string) => {
    const options = token === undefined ? {} : { token }
    nines.clock.advance(1000)
    return Number((await nines.call('POST', '/api/v1/slos', { ...checkout, name, ...change }, options)).body.id)
  }
  const { body: source } = await nines.call('POST', '/api/v1/tsdb/sources', { name: 's', api_url: 'http://s.example' })
  const ofSource = { source_id: source.id }
  const a = await add('a')
  const deleted = await add('deleted')
  const b = await add('b')
  await add('c')
  await add('d', ofSource)
  await add('e', ofSource)
  await add('f', ofSource)
  const over = await add('over')
  await add('g', {}, stranger)
  const { write: db } = nines.app.db
  await nines.call('DELETE', `/api/v1/slos/${deleted}`)
  await db.updateTable('backfills').set({ status: 'waiting' }).where('slo_id', '=', deleted).execute()
  await updateBackfill(db, over, 1, { status: 'failed', updated_at: 0 })
  await updateBackfill(db, b, 1, { status: 'running', chunks: 9, chunks_done: 4, buckets: 5, updated_at: 0 })
  const found = async (limit: number) => (await listBackfillsToDo(db, limit)).map(({ name }) => name).join('')
  expect(await found(100)).toBe('abcdefg')
  expect(await found(2)).toBe('abdeg')
  await nines.call('PUT', `/api/v1/slos/${a}`, { metric_query: 'up' })
  expect(await found(2)).toBe('bcdeg')
  const [first] = await listBackfillsToDo(db, 1)
  expect(first).toEqual({
    begun_at: expect.any(Number),
    ...(await db.selectFrom('slos').selectAll().where('id', '=', b).executeTakeFirstOrThrow()),
    status: 'running',
    ends_at: 1_795_255_200,
    chunks: 9,
    chunks_done: 4,
    buckets: 5,
  })
  await nines.close()
})
