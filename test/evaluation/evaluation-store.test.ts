import { afterEach, beforeEach, expect, test } from 'bun:test'
import { getState, listActiveSloIds, listSummaryStates } from '../../src/evaluation/state-store.ts'
import type { TestApp } from '../support/app.ts'
import { appWithThreeSlos, evaluation, failure, put, testStartSeconds } from '../support/evaluations.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => void (nines = await appWithThreeSlos()))
afterEach(() => nines.close())

const state = async (sloId = 1) => (await getState(nines.app.db.read, 1, sloId)).state
const history = () => nines.app.db.read.selectFrom('evaluations').selectAll().execute()

test('an evaluation is what is known of its SLO, and its history, to the last digit', async () => {
  const odd = { current: 99.987_654_321_098_76, own: 1 / 3, budgetUsed: 1e-17, goodEvents: 0.1 + 0.2 }
  await put(nines.app.db.write, evaluation(odd))
  const stored = {
    revision: 1,
    status: 'healthy',
    reason: null,
    current_value: odd.current,
    own_value: odd.own,
    budget_used: odd.budgetUsed,
  }
  expect(await state()).toMatchObject({
    ...stored,
    organization_id: 1,
    message: null,
    evaluated_at: testStartSeconds * 1000 + 1234,
    measured_at: testStartSeconds * 1000,
    good_events: odd.goodEvents,
    total_events: 10_000,
    current_coverage: 0.98,
    own_coverage: 0.87,
  })
  expect(JSON.parse((await state())?.burn_rates ?? '')).toEqual(evaluation().burnRates)
  expect(await history()).toMatchObject([
    {
      ...stored,
      slo_id: 1,
      at: testStartSeconds,
      burn_rates: '[[3600,300,0.5,null]]',
      resolution: 0,
      rolled_up: 1,
      worst_status: 'healthy',
      lowest_value: odd.current,
    },
  ])
})

test('the same minute evaluated again replaces what it said; the next minute adds to the history', async () => {
  await put(nines.app.db.write, evaluation({ current: 98 }))
  await put(nines.app.db.write, evaluation({ current: 97, status: 'critical' }))
  await put(nines.app.db.write, evaluation({ current: 96, atSeconds: testStartSeconds + 60 }))
  const values = (await history()).map(({ at, current_value }) => [at - testStartSeconds, current_value])
  expect(values).toEqual([
    [0, 97],
    [60, 96],
  ])
  expect(await state()).toMatchObject({ current_value: 96, measured_at: (testStartSeconds + 60) * 1000 })
})

test('an evaluation that ended after one of a later minute does not replace its state', async () => {
  const evaluatedAtMs = (testStartSeconds + 70) * 1000
  await put(nines.app.db.write, evaluation({ current: 97, atSeconds: testStartSeconds + 60, evaluatedAtMs }))
  const before = await state()
  await put(nines.app.db.write, evaluation({ current: 98, evaluatedAtMs }))
  await put(nines.app.db.write, evaluation({ current: 98, evaluatedAtMs: evaluatedAtMs + 40_000 }))
  expect(await state()).toEqual(before)
  expect(await history()).toHaveLength(2)
})

test('a failed evaluation changes the status and keeps what was measured last', async () => {
  await put(nines.app.db.write, evaluation())
  const before = await state()
  await put(nines.app.db.write, failure({ atSeconds: testStartSeconds + 60 }))
  expect<object | null>(await state()).toEqual({
    ...before,
    status: 'unknown',
    reason: 'source_error',
    message: 'metrics source did not answer',
    evaluated_at: (testStartSeconds + 60) * 1000 + 1234,
  })
  expect((await history())[1]).toMatchObject({ status: 'unknown', reason: 'source_error', current_value: null })
})

test('a failed evaluation keeps nothing that another revision measured', async () => {
  await put(nines.app.db.write, evaluation())
  await nines.call('PUT', '/api/v1/slos/1', { metric_query: 'up' })
  await put(nines.app.db.write, failure({ revision: 2, atSeconds: testStartSeconds + 60 }))
  expect(await state()).toMatchObject({ revision: 2, measured_at: null, current_value: null, burn_rates: '[]' })
})

test('an SLO that was edited, deleted or never this organization’s is skipped, the others of the chunk are not', async () => {
  const db = nines.app.db.write
  await nines.call('PUT', '/api/v1/slos/1', { metric_query: 'up' })
  await nines.call('DELETE', '/api/v1/slos/2')
  const foreign = evaluation({ sloId: 3, organizationId: 2, current: 1 })
  await put(db, evaluation(), evaluation({ sloId: 2 }), evaluation({ sloId: 3 }), foreign, evaluation({ sloId: 4 }))
  expect((await history()).map(({ slo_id, current_value }) => [slo_id, current_value])).toEqual([[3, 99.95]])
  expect((await db.selectFrom('slo_states').select('slo_id').execute()).map(({ slo_id }) => slo_id)).toEqual([3])
})

test('what was found by an earlier target or window is not written any more', async () => {
  nines.clock.advance(1)
  await nines.call('PUT', '/api/v1/slos/1', { target: 95 })
  await nines.call('PUT', '/api/v1/slos/2', { time_window: '24h' })
  await put(nines.app.db.write, ...[1, 2, 3].map((sloId) => evaluation({ sloId })))
  expect((await history()).map(({ slo_id }) => slo_id)).toEqual([3])
})

test('the list has every active SLO of the organization, with nothing known of those never evaluated', async () => {
  const eve = await nines.join('eve')
  await nines.call('POST', '/api/v1/slos', checkout, { token: eve })
  await nines.call('DELETE', '/api/v1/slos/3')
  await put(nines.app.db.write, evaluation({ sloId: 1 }), evaluation({ sloId: 4, organizationId: 2 }))
  const { read } = nines.app.db
  const known = async (organizationId: number) => {
    const states = await listSummaryStates(read, await listActiveSloIds(read, organizationId))
    return states.map(({ slo, state }) => [slo.id, state?.current_value])
  }
  expect(await known(1)).toEqual([
    [2, undefined],
    [1, 99.95],
  ])
  expect(await known(2)).toEqual([[4, 99.95]])
})

test('the state of a deleted SLO can still be read, and by its organization only', async () => {
  await put(nines.app.db.write, evaluation())
  await nines.call('DELETE', '/api/v1/slos/1')
  expect(await state()).toMatchObject({ current_value: 99.95 })
  await expect(getState(nines.app.db.read, 2, 1)).rejects.toThrow('SLO not found')
})
