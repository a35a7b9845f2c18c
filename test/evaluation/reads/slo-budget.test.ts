import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'
import { evaluated, measured } from '../../sli/ledger-fixtures.ts'

const hour = 3600
const day = 24 * hour

let nines: TestApp
let sloId: number
beforeEach(async () => {
  nines = await joinedApp()
  sloId = await made({ target: 99, time_window: '24h' })
})
afterEach(() => nines.close())

async function made(change: object): Promise<number> {
  return (await nines.call('POST', '/api/v1/slos', { ...checkout, ...change })).body.id
}

const read = async (id = sloId) => (await nines.call('GET', `/api/v1/slos/${id}/budget`)).body

/** Stores 10 events a minute. 144 of 14,400 may fail: 60 fail in the first hour, 30 in the last. */
async function aDay(): Promise<void> {
  await measured(nines, { sloId, resolution: 60, from: -day, to: -day + hour }, { good: 9, total: 10 })
  await measured(nines, { sloId, resolution: 60, from: -day + hour, to: -hour }, { good: 10, total: 10 })
  await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 9.5, total: 10 })
  await evaluated(nines, sloId, { own: 99.375, budgetUsed: 62.5, goodEvents: 14_310, totalEvents: 14_400 })
}

describe('the budget', () => {
  test('is given in percent, in events and in minutes, with its age', async () => {
    await aDay()
    nines.clock.advance(61_000)
    expect(await read()).toMatchObject({
      slo_id: sloId,
      target: 99,
      time_window: '24h',
      status: 'healthy',
      status_reason: null,
      sli: 99.375,
      coverage: 1,
      measured_at: '2026-11-21T10:00:00.000Z',
      age_seconds: 61,
      stale: false,
      error_budget: { total: 1, used: 0.625, remaining: 0.375, percentage_used: 62.5, percentage_remaining: 37.5 },
      events: { good: 14_310, total: 14_400, bad: 90, allowed_bad: 144, remaining_bad: 54 },
      minutes: { allowed: 14.4, used: 9, remaining: 5.4 },
    })
  })

  test('is given without the dust of binary fractions', async () => {
    await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 9.5, total: 10 })
    await evaluated(nines, sloId, { own: 99.51388888888889, ownCoverage: 0.1 })
    const { sli, coverage, minutes, burn_down: points } = await read()
    expect([sli, coverage, minutes]).toEqual([99.5138888889, 0.0416666667, { allowed: 14.4, used: 7, remaining: 7.4 }])
    expect(points[0]).toMatchObject({ ideal_percent: 99.3055555556, coverage: 0 })
  })

  test('covers what a backfill has brought since it was evaluated', async () => {
    await evaluated(nines, sloId, { own: 99.5, ownCoverage: 0.0007 })
    await measured(nines, { sloId, resolution: 60, from: -day, to: 0 }, { good: 10, total: 10 })
    expect((await read()).coverage).toBe(1)
  })

  test('burns down over its own window, beside the straight line that lasts exactly as long', async () => {
    await aDay()
    const points = (await read()).burn_down
    expect(points).toHaveLength(144)
    const left = (bad: number) => expect.closeTo(100 - (100 * bad) / 144, 8)
    const at = (timestamp: string, bad: number, ideal: number) => {
      const ideal_percent = expect.closeTo(ideal, 8)
      return { timestamp: `2026-11-${timestamp}:00.000Z`, remaining_percent: left(bad), ideal_percent, coverage: 1 }
    }
    expect([points[0], points[5], points[71], points[140], points[143]]).toEqual([
      at('20T10:10', 10, 100 - 100 / 144),
      at('20T11:00', 60, 100 - 100 / 24),
      at('20T22:00', 60, 50),
      at('21T09:30', 75, 50 / 24),
      at('21T10:00', 90, 0),
    ])
  })

  test('of an SLO that is an hour old burns down in minutes, from its first sample on', async () => {
    const id = await made({ target: 99, time_window: '30d' })
    await measured(nines, { sloId: id, resolution: 60, from: -hour, to: 0 }, { good: 9.9, total: 10 })
    const share = 1 / 720
    const firstSampleAtMs = nines.clock.now() - hour * 1000
    await evaluated(nines, id, { own: 99, budgetUsed: 100, windowShare: share, firstSampleAtMs })
    const drawn = (await read(id)).burn_down.filter(({ coverage }: { coverage: number }) => coverage > 0)
    expect(drawn).toHaveLength(60)
    expect(drawn[0]).toMatchObject({ timestamp: '2026-11-21T09:01:00.000Z' })
    expect(drawn[29]).toMatchObject({ timestamp: '2026-11-21T09:30:00.000Z' })
    expect(drawn[29].remaining_percent).toBeCloseTo(100 - 50 * share, 8)
  })

  test('is forecast to last as long as what leaves the window makes room', async () => {
    // burn rate 5 in the last hour: 41.7 % leave in an hour, and 58.3 % burn in 2.8 hours more
    await aDay()
    expect((await read()).forecast).toEqual({
      exhausted: false,
      exhausts_at: '2026-11-21T13:48:00.000Z',
      burn_rate: 5,
      basis: 'the burn rate of the last 1h',
      basis_window: '1h',
      basis_seconds: 3600,
      reason: null,
    })
  })

  test('comes back when what used it leaves the window', async () => {
    await aDay()
    const row = (from: string, to: string, back: number, left: number) => ({
      starts_at: `2026-11-${from}:00:00.000Z`,
      ends_at: `2026-11-${to}:00:00.000Z`,
      gives_back_percent: expect.closeTo(back, 8),
      remaining_after_percent: expect.closeTo(left, 8),
    })
    expect((await read()).calendar).toEqual([
      row('21T10', '21T11', (100 * 60) / 144, 100 - (100 * 30) / 144),
      row('22T09', '22T10', (100 * 30) / 144, 100),
    ])
    expect((await read(await made({ time_window: '24h' }))).calendar).toEqual([])
  })

  test('is not forecast to end while nothing burns, nor where the rate is not known', async () => {
    await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 10, total: 10 })
    await evaluated(nines, sloId, { own: 99.5 })
    expect((await read()).forecast).toMatchObject({ exhausted: false, exhausts_at: null, burn_rate: 0 })
    const blind = await made({ time_window: '24h' })
    await evaluated(nines, blind, { own: 99.95 })
    expect((await read(blind)).forecast).toMatchObject({ exhausted: false, exhausts_at: null, burn_rate: null })
  })

  test('that is used up is said to be, and not when', async () => {
    await aDay()
    await evaluated(nines, sloId, { own: 98.5, budgetUsed: 150 })
    const { error_budget: budget, forecast, events } = await read()
    expect(budget).toMatchObject({ remaining: -0.5, percentage_used: 150, percentage_remaining: -50 })
    expect(forecast).toMatchObject({ exhausted: true, exhausts_at: null })
    expect(events).toBeNull()
  })

  test('that is stale says so: its figures stay those of then, without a forecast', async () => {
    await aDay()
    nines.clock.advance(5 * 60_000)
    const answer = await read()
    expect(answer).toMatchObject({
      status: 'unknown',
      status_reason: 'stale',
      stale: true,
      age_seconds: 300,
      sli: 99.375,
    })
    expect(answer.burn_down.at(-1)).toMatchObject({ timestamp: '2026-11-21T10:00:00.000Z', remaining_percent: 37.5 })
    expect(answer.forecast).toMatchObject({ exhausted: false, exhausts_at: null })
  })

  test('that a source no longer answers stays the last one, and the status is unknown', async () => {
    await aDay()
    nines.clock.advance(60_000)
    const failed = { isFailed: true, status: 'unknown', reason: 'source_error', message: 'no answer' } as const
    await evaluated(nines, sloId, { ...failed, current: null, own: null, budgetUsed: null })
    expect(await read()).toMatchObject({
      status: 'unknown',
      status_reason: 'source_error',
      status_message: 'no answer',
      stale: false,
      measured_at: '2026-11-21T10:00:00.000Z',
      age_seconds: 60,
      sli: 99.375,
    })
  })

  test('of a deleted SLO stays the last one, and its state is not known until it is restored', async () => {
    await aDay()
    const burning = { state: 'burning_fast', state_reason: 'route=/checkout', burn_rate_now: 1000 } as const
    await nines.app.db.write.updateTable('slo_states').set(burning).where('slo_id', '=', sloId).execute()
    expect(await read()).toMatchObject(burning)
    nines.clock.advance(20_000)
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    const deleted = { status: 'unknown', status_reason: 'deleted', state: 'unknown', state_reason: 'deleted' }
    const since = { state_since: '2026-11-21T10:00:20.000Z', burn_rate_now: null }
    nines.clock.advance(40_000)
    expect(await read()).toMatchObject({ ...deleted, ...since, sli: 99.375, age_seconds: 60, stale: false })
    nines.clock.advance(hour * 1000)
    expect(await read()).toMatchObject({ ...deleted, ...since, sli: 99.375, stale: true })
    await nines.call('PUT', `/api/v1/slos/${sloId}`, { active: true })
    const measuring = { state: 'measuring', state_reason: null, state_since: null, burn_rate_now: null }
    expect(await read()).toMatchObject(measuring)
  })

  test('has its state back if its deletion is undone', async () => {
    await aDay()
    const burning = { state: 'burning_fast', state_reason: 'route=/checkout', burn_rate_now: 1000 } as const
    await nines.app.db.write.updateTable('slo_states').set(burning).where('slo_id', '=', sloId).execute()
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    nines.clock.advance(9000)
    await nines.call('PUT', `/api/v1/slos/${sloId}`, { active: true })
    expect(await read()).toMatchObject(burning)
  })

  test('of an SLO that was deleted before its first evaluation is not being measured', async () => {
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    const deleted = { state: 'unknown', state_reason: 'deleted', status_message: 'Deleted' }
    expect(await read()).toMatchObject({ ...deleted, sli: null, measured_at: null })
  })

  test('is not known before the first evaluation', async () => {
    expect(await read()).toMatchObject({
      status: 'unknown',
      status_reason: 'warming_up',
      measured_at: null,
      sli: null,
      coverage: null,
      error_budget: { total: 1, used: null, remaining: null, percentage_used: null, percentage_remaining: null },
      events: null,
      minutes: { allowed: 14.4, used: null, remaining: null },
      burn_down: [],
      forecast: { exhausted: null, exhausts_at: null, burn_rate: null },
    })
  })

  test('follows an edited target at once, since the target is applied when reading', async () => {
    await aDay()
    await nines.call('PUT', `/api/v1/slos/${sloId}`, { target: 98.75 })
    const answer = await read()
    expect(answer.error_budget).toMatchObject({ total: 1.25, percentage_used: 50 })
    expect(answer.burn_down.at(-1).remaining_percent).toBeCloseTo(50, 8)
  })

  test('of a target of 100 is used up with the first failure', async () => {
    const strict = await made({ target: 100, time_window: '1h' })
    await measured(nines, { sloId: strict, resolution: 60, from: -hour, to: -600 }, { good: 10, total: 10 })
    await measured(nines, { sloId: strict, resolution: 60, from: -600, to: 0 }, { good: 9, total: 10 })
    await evaluated(nines, strict, { own: 98.5 })
    const { error_budget: budget, burn_down: points, forecast } = await read(strict)
    expect(budget).toMatchObject({ total: 0, percentage_used: 100 })
    expect([points[49].remaining_percent, points[50].remaining_percent]).toEqual([100, 0])
    const fiveMinutes = { basis: 'the burn rate of the last 5m', basis_window: '5m', basis_seconds: 300, reason: null }
    expect(forecast).toEqual({ exhausted: true, exhausts_at: null, burn_rate: null, ...fiveMinutes })
  })
})

test.each([
  ['1h', 60, '2026-11-21T09:01:00.000Z'],
  ['7d', 168, '2026-11-14T11:00:00.000Z'],
  ['30d', 121, '2026-10-22T12:00:00.000Z'],
  ['90d', 91, '2026-08-24T00:00:00.000Z'],
])(
  'a burn-down of %s has %p points that end with the window; unmeasured, they are empty',
  async (window, count, first) => {
    const id = await made({ time_window: window })
    await evaluated(nines, id, {})
    const points = (await read(id)).burn_down
    expect(points).toHaveLength(count)
    expect(points[0]).toMatchObject({ timestamp: first, remaining_percent: null, coverage: 0 })
    expect(points.at(-1)).toMatchObject({ timestamp: '2026-11-21T10:00:00.000Z', ideal_percent: 0 })
  },
)
