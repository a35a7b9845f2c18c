import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'
import { evaluated, measured } from '../../sli/ledger-fixtures.ts'

const hour = 3600

let nines: TestApp
let sloId: number
beforeEach(async () => {
  nines = await joinedApp()
  sloId = await made({ target: 99 })
})
afterEach(() => nines.close())

async function made(change: object): Promise<number> {
  return (await nines.call('POST', '/api/v1/slos', { ...checkout, ...change })).body.id
}

const read = async (id = sloId) => (await nines.call('GET', `/api/v1/slos/${id}/burn-rates`)).body

/** Stores five hours with 3 % failures, then one hour with 20 %. */
async function sixHours(): Promise<void> {
  await measured(nines, { sloId, resolution: 60, from: -6 * hour, to: -hour }, { good: 97, total: 100 })
  await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 80, total: 100 })
}

describe('the burn rates of an SLO', () => {
  test('are those of its ledger at the last evaluated minute, tier by tier', async () => {
    await sixHours()
    await evaluated(nines, sloId, { own: 99.6, budgetUsed: 40 })
    nines.clock.advance(59_000)
    const answer = await read()
    expect(answer).toMatchObject({
      slo_id: sloId,
      target: 99,
      time_window: '30d',
      measured_at: '2026-11-21T10:00:00.000Z',
      age_seconds: 59,
      stale: false,
    })
    const full = 1
    const rows = answer.tiers.map((tier: Record<string, unknown>) => Object.values(tier))
    expect(Object.keys(answer.tiers[0])).toEqual([
      'severity',
      'long_window',
      'short_window',
      'factor',
      'budget_percent',
      'min_events',
      'enabled',
      'long_burn_rate',
      'short_burn_rate',
      'long_coverage',
      'short_coverage',
      'long_bad_events',
      'firing',
      'firing_reason',
      'refused',
      'time_to_exhaustion_seconds',
    ])
    expect(rows).toEqual([
      // 60 % of the budget of 30 days, at burn rate 20
      ['page', '1h', '5m', 14.4, 2, 0, true, 20, 20, full, full, 1200, true, null, null, 77_760],
      ['page', '6h', '30m', 6, 5, 0, true, 5.83333, 20, full, full, 2100, false, null, null, 266_606],
      ['ticket', '24h', '2h', 3, 10, 0, true, null, 11.5, 0.25, full, null, null, null, null, null],
      ['ticket', '72h', '6h', 1, 10, 0, true, null, 5.83333, 0.0833333333, full, null, null, null, null, null],
    ])
  })

  test('are those of its own tiers, which may want failed events, and fire while they are disabled', async () => {
    const tier = { long_window: '1h', short_window: '5m', factor: 10, severity: 'page' }
    const tiers = [
      { ...tier, min_events: 1200, enabled: false },
      { ...tier, short_window: '10m', min_events: 1201 },
    ]
    await nines.call('PUT', `/api/v1/slos/${sloId}/alerting`, { burn_rate_tiers: tiers })
    await sixHours()
    await evaluated(nines, sloId, { own: 99.6 })
    const fast = { factor: 10, long_burn_rate: 20, short_burn_rate: 20, long_bad_events: 1200 }
    expect((await read()).tiers).toMatchObject([
      { ...fast, short_window: '5m', min_events: 1200, enabled: false, firing: true },
      { ...fast, short_window: '10m', min_events: 1201, enabled: true, firing: false },
    ])
  })

  test('have no failed events where the SLO counts time', async () => {
    const gauge = await made({ target: 99, metric_query: 'up > 0' })
    await measured(nines, { sloId: gauge, resolution: 60, from: -hour, to: 0 }, { good: 48, total: 60 })
    const tier = { long_window: '1h', short_window: '5m', factor: 10, severity: 'page', min_events: 1_000_000 }
    await nines.call('PUT', `/api/v1/slos/${gauge}/alerting`, { burn_rate_tiers: [tier] })
    await evaluated(nines, gauge, { own: 99.6 })
    expect((await read(gauge)).tiers).toMatchObject([{ long_burn_rate: 20, long_bad_events: null, firing: true }])
  })

  test('are given with their age when stale, and fire no more', async () => {
    await sixHours()
    await evaluated(nines, sloId, { own: 99.6 })
    nines.clock.advance(4 * 60_000)
    expect(await read()).toMatchObject({
      stale: true,
      age_seconds: 240,
      measured_at: '2026-11-21T10:00:00.000Z',
      tiers: [{ long_burn_rate: 20, firing: null }, { firing: null }, { firing: null }, { firing: null }],
    })
  })

  test('are 0 without traffic, and not known without data', async () => {
    await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 0, total: 0 })
    await evaluated(nines, sloId, { status: 'unknown', reason: 'no_traffic', current: null, own: null })
    const [first, second] = (await read()).tiers
    expect(first).toMatchObject({ long_burn_rate: 0, short_burn_rate: 0, long_coverage: 1, firing: false })
    expect(second).toMatchObject({ long_burn_rate: null, short_burn_rate: 0, firing: null })
  })

  test('are not known before the first evaluation', async () => {
    expect(await read()).toMatchObject({
      measured_at: null,
      age_seconds: null,
      stale: false,
      tiers: Array.from({ length: 4 }, () => ({ long_burn_rate: null, long_coverage: null, firing: null })),
    })
  })

  test('say which tier cannot fire, and answer for a target without a budget', async () => {
    const strict = await made({ target: 100, time_window: '1h' })
    await measured(nines, { sloId: strict, resolution: 60, from: -300, to: 0 }, { good: 99, total: 100 })
    await evaluated(nines, strict, { own: 99 })
    expect((await read(strict)).tiers).toMatchObject([
      {
        long_window: '5m',
        short_window: '1m',
        factor: 3,
        firing: false,
        long_burn_rate: null,
        long_coverage: 1,
        refused: 'a target of 100 leaves no budget that could burn',
      },
    ])
  })

  test('of a deleted SLO can still be read', async () => {
    await evaluated(nines, sloId, {})
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    nines.clock.advance(3_600_000)
    expect(await read()).toMatchObject({ slo_id: sloId, stale: true, age_seconds: 3600 })
  })
})
