import { describe, expect, test } from 'bun:test'
import { checkout, sloCalls } from '../support/slo-calls.ts'

const on = sloCalls()
const iso = () => new Date(on.nines.clock.now()).toISOString()

/** An SLO that has been measured: it has a state, a checkpoint, an inferred unit and a bucket, and its backfill is done. */
async function measured(change = {}) {
  const { body: slo } = await on.create(change)
  const { write } = on.nines.app.db
  const endSeconds = 1_795_255_200
  const window = { counted: 1, total: 2, left_until: endSeconds, left_counted: 0, left_total: 0, invalidated_by: null }
  await write
    .insertInto('checkpoints')
    .values({ slo_id: slo.id, origin: 'x', end_at: endSeconds, ...window })
    .execute()
  const values = { current_value: 99, own_value: 98, budget_used: 97, good_events: 96, total_events: 95 }
  const coverages = { current_coverage: 1, own_coverage: 0.9, burn_rates: '[{}]', message: 'so it is' }
  await write
    .insertInto('slo_states')
    .values({
      ...values,
      ...coverages,
      slo_id: slo.id,
      organization_id: 1,
      revision: 1,
      status: 'warning',
      reason: 'no_reason',
      evaluated_at: on.nines.clock.now(),
      measured_at: on.nines.clock.now(),
    })
    .execute()
  const bucket = { good: 1, total: 2, covered_seconds: 60, lead_good: 0, lead_total: 0 }
  await write
    .insertInto('buckets')
    .values({ slo_id: slo.id, revision: 1, resolution: 60, start: endSeconds, ...bucket })
    .execute()
  await write.updateTable('slos').set({ inferred_unit: 'percent' }).where('id', '=', slo.id).execute()
  await write.updateTable('backfills').set({ status: 'done' }).where('slo_id', '=', slo.id).execute()
  on.nines.clock.advance(90_000)
  return slo
}

/** Everything stored about how an SLO is measured, and the results. */
async function stored(id: number) {
  const { read } = on.nines.app.db
  const of = (table: 'slo_revisions' | 'checkpoints' | 'slo_states' | 'buckets' | 'backfills') =>
    read.selectFrom(table).selectAll().where('slo_id', '=', id).execute()
  const slo = read.selectFrom('slos').select(['revision', 'inferred_unit']).where('id', '=', id).executeTakeFirst()
  const [revisions, checkpoints, states, buckets, backfills] = [
    await of('slo_revisions'),
    await of('checkpoints'),
    await of('slo_states'),
    await of('buckets'),
    await of('backfills'),
  ]
  return { slo: await slo, revisions, checkpoints, states, buckets, backfills }
}

test('a new SLO is measured as its first revision, and its backfill waits', async () => {
  const { body } = await on.create({ threshold: 1, threshold_op: 'gte', metric_query: 'up' })
  expect(body).toMatchObject({ revision: 1, measured_since: iso(), status: 'unknown' })
  const { revisions, backfills, states } = await stored(body.id)
  expect(JSON.parse(String(revisions[0]?.definition))).toEqual({
    composite: null,
    metric_query: 'up',
    good_query: null,
    bad_query: null,
    total_query: null,
    threshold: 1,
    threshold_op: 'gte',
    window_method: 'auto',
    query_unit: 'auto',
    source_id: null,
  })
  expect(revisions).toMatchObject([{ revision: 1, created_at: on.nines.clock.now() }])
  expect(backfills).toMatchObject([{ status: 'waiting', revision: 1, ends_at: 1_795_255_200, chunks: 0, error: null }])
  expect(states).toEqual([])
})

const pair = { metric_query: null, good_query: 'sum(rate(ok[5m]))', total_query: 'sum(rate(all[5m]))' }
test.each<[string, object, object]>([
  ['metric_query', {}, { metric_query: 'up' }],
  ['its way', {}, pair],
  ['good_query', pair, { good_query: 'sum(rate(fine[5m]))' }],
  ['bad_query', { ...pair, good_query: null, bad_query: 'x' }, { bad_query: 'y' }],
  ['total_query', pair, { total_query: 'sum(rate(every[5m]))' }],
  ['threshold', { threshold: 1, threshold_op: 'gt' }, { threshold: 2 }],
  ['threshold_op', { threshold: 1, threshold_op: 'gt' }, { threshold_op: 'lt' }],
  ['window_method', {}, { window_method: 'mean' }],
  ['query_unit', {}, { query_unit: 'ratio' }],
])('another %s begins a revision of which nothing is known, and keeps what was measured', async (_, at, change) => {
  const slo = await measured(at)
  const before = await stored(slo.id)
  expect((await on.change(slo.id, { ...change, name: 'Renamed' })).status).toBe(200)
  const after = await stored(slo.id)
  expect((await on.read(slo.id)).body).toMatchObject({ revision: 2, measured_since: iso() })
  expect(after.slo).toEqual({ revision: 2, inferred_unit: null })
  expect(after.revisions).toEqual([...before.revisions, expect.objectContaining({ revision: 2 })])
  expect(JSON.parse(String(after.revisions[1]?.definition))).toMatchObject(change)
  expect(after.buckets).toEqual(before.buckets)
  expect(after.checkpoints).toEqual([])
  expect<unknown[]>(after.states).toEqual([
    {
      slo_id: slo.id,
      organization_id: 1,
      revision: 2,
      status: 'unknown',
      reason: 'warming_up',
      message: null,
      evaluated_at: before.states[0]?.evaluated_at ?? 0,
      measured_at: null,
      current_value: null,
      own_value: null,
      budget_used: null,
      window_share: null,
      first_sample_at: null,
      good_events: null,
      total_events: null,
      current_coverage: null,
      own_coverage: null,
      running_seconds: 0,
      running_good: 0,
      running_total: 0,
      burn_rates: '[]',
      burn_rate_now: null,
      state: 'measuring',
      state_since: null,
      state_reason: null,
    },
  ])
  const endsAt = Math.floor(on.nines.clock.now() / 60_000) * 60
  expect(after.backfills).toMatchObject([{ status: 'waiting', revision: 2, ends_at: endsAt, chunks_done: 0 }])
})

test('another source begins a revision too', async () => {
  const sent = { name: 'Second', api_url: 'http://second.example' }
  const { id } = (await on.nines.call('POST', '/api/v1/tsdb/sources', sent)).body
  const slo = await measured()
  await on.change(slo.id, { source_id: id })
  expect((await on.read(slo.id)).body).toMatchObject({ source_id: id, revision: 2 })
})

test('what does not change how it is measured leaves all of that alone', async () => {
  const slo = await measured()
  const before = await stored(slo.id)
  const unchanged = { metric_query: ` ${checkout.metric_query}`, window_method: 'auto', source_id: null, active: true }
  const apart = { name: 'Renamed', labels: { team: 'x' }, metric_type: 'latency', time_window: '30d' }
  expect((await on.change(slo.id, { ...apart, ...unchanged })).status).toBe(200)
  expect(await stored(slo.id)).toEqual(before)
})

test('what was measured is assessed by another target at once', async () => {
  const slo = await measured()
  const before = await stored(slo.id)
  await on.change(slo.id, { target: 95 })
  const after = await stored(slo.id)
  expect(after).toEqual({ ...before, states: after.states })
  const assessed = { status: 'healthy', budget_used: 40, burn_rates: '[]' } as const // 2 of 5 points
  expect(after.states).toEqual(before.states.map((state) => ({ ...state, ...assessed })))
})

test('another window of its own is measured again, and is no revision', async () => {
  const slo = await measured()
  const before = await stored(slo.id)
  await on.change(slo.id, { time_window: '7d' })
  const after = await stored(slo.id)
  expect(after).toEqual({ ...before, checkpoints: [], states: after.states })
  expect(after.states).toMatchObject([{ revision: 1, reason: 'warming_up', own_value: null, budget_used: null }])
})

test('a refused change begins no revision', async () => {
  const slo = await measured()
  const before = await stored(slo.id)
  expect((await on.change(slo.id, { metric_query: 'up', team_id: 99 })).status).toBe(400)
  expect(await stored(slo.id)).toEqual(before)
})

describe('a deleted SLO', () => {
  test('that is restored has the time between backfilled, as the same revision', async () => {
    const slo = await measured()
    const before = await stored(slo.id)
    await on.remove(slo.id)
    expect(await stored(slo.id)).toEqual(before)
    await on.change(slo.id, { active: true })
    const { checkpoints, backfills, ...others } = await stored(slo.id)
    expect(others).toEqual({
      slo: before.slo,
      revisions: before.revisions,
      states: before.states,
      buckets: before.buckets,
    })
    expect([checkpoints, backfills]).toMatchObject([[], [{ status: 'waiting', revision: 1 }]])
  })

  test('is queried no more, also when its query changes', async () => {
    const { body } = await on.create()
    await on.remove(body.id)
    expect((await stored(body.id)).backfills).toMatchObject([{ status: 'cancelled', revision: 1 }])
    await on.change(body.id, { metric_query: 'up' })
    expect((await stored(body.id)).backfills).toMatchObject([{ status: 'cancelled', revision: 1 }])
    await on.change(body.id, { active: true })
    expect((await stored(body.id)).backfills).toMatchObject([{ status: 'waiting', revision: 2 }])
  })
})

test('edits at the same time begin one revision each', async () => {
  const { body } = await on.create()
  await Promise.all(['a', 'b', 'c'].map((metric_query) => on.change(body.id, { metric_query })))
  const { slo, revisions } = await stored(body.id)
  expect([slo?.revision, revisions.map(({ revision }) => revision)]).toEqual([4, [1, 2, 3, 4]])
})

test('an SLO remembers the last 100 ways in which it was measured', async () => {
  const { app, call } = on.nines
  const { id } = (await on.create()).body
  for (let number = 2; number <= 102; number += 1) {
    await call('PUT', `/api/v1/slos/${id}`, { metric_query: `up * ${number}` })
  }
  const rows = await app.db.read.selectFrom('slo_revisions').select('revision').where('slo_id', '=', id).execute()
  expect([rows.length, rows[0]?.revision, rows.at(-1)?.revision]).toEqual([100, 3, 102])
})
