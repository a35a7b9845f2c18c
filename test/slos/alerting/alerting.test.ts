import { describe, expect, test } from 'bun:test'
import { evaluation, put } from '../../support/evaluations.ts'
import { sloCalls } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

const on = sloCalls()
const read = async (id: number) => (await on.nines.call('GET', `/api/v1/slos/${id}/alerting`)).body
const set = (id: number, change: object) => on.nines.call('PUT', `/api/v1/slos/${id}/alerting`, change)
const create = async (change = {}): Promise<number> => (await on.create(change)).body.id

const tier = { long_window: '2h', short_window: '10m', factor: 8, severity: 'page' }

describe('when an SLO alerts', () => {
  test('is the standard of its window until it is changed', async () => {
    const id = await create({ time_window: '7d', target: 60 })
    const usual = { severity: 'page', min_events: 0, enabled: true }
    expect(await read(id)).toEqual({
      slo_id: id,
      burn_rate_tiers: [
        {
          ...usual,
          long_window: '1h',
          short_window: '5m',
          factor: 3.36,
          budget_percent: 2,
          refused: expect.stringMatching(/^with a target of 60 the budget burns at most 2.5 times/),
        },
        { ...usual, long_window: '6h', short_window: '30m', factor: 1.4, budget_percent: 5, refused: null },
      ],
      burn_rate_tiers_are_standard: true,
      budget_thresholds: [50, 25, 10, 0],
      budget_thresholds_are_standard: true,
    })
  })

  test('can be its own, and the standard again, each by itself', async () => {
    const id = await create()
    const slow = {
      long_window: '3d',
      short_window: '90m',
      factor: 0.5,
      severity: 'ticket',
      min_events: 5,
      enabled: false,
    }
    const own = [
      { ...tier, budget_percent: 2.2222222222, min_events: 0, enabled: true, refused: null },
      { ...slow, long_window: '72h', budget_percent: 5, refused: null },
    ]
    expect(await set(id, { burn_rate_tiers: [slow, tier] })).toMatchObject({
      status: 200,
      body: { burn_rate_tiers: own },
    })
    expect(await read(id)).toMatchObject({ burn_rate_tiers: own, burn_rate_tiers_are_standard: false })
    expect(await read(id)).toMatchObject({ budget_thresholds: [50, 25, 10, 0], budget_thresholds_are_standard: true })
    await set(id, { budget_thresholds: [0, 99.5, 20] })
    expect(await read(id)).toMatchObject({ budget_thresholds: [99.5, 20, 0], budget_thresholds_are_standard: false })
    await set(id, { burn_rate_tiers: null })
    expect(await read(id)).toMatchObject({
      burn_rate_tiers: [{ factor: 14.4 }, {}, {}, {}],
      burn_rate_tiers_are_standard: true,
      budget_thresholds: [99.5, 20, 0],
    })
    await set(id, { budget_thresholds: null })
    expect(await read(id)).toMatchObject({ budget_thresholds: [50, 25, 10, 0], budget_thresholds_are_standard: true })
  })

  test('can be never', async () => {
    const id = await create()
    const never = { burn_rate_tiers: [], budget_thresholds: [] }
    expect(await set(id, never)).toMatchObject({ status: 200, body: never })
    expect(await read(id)).toMatchObject({ ...never, burn_rate_tiers_are_standard: false })
  })

  test('changes when the SLO was edited, and nothing of how it is measured; what was read of its tiers is forgotten', async () => {
    const id = await create()
    await put(on.nines.app.db.write, evaluation({ sloId: id, sloUpdatedAtMs: on.nines.clock.now() }))
    const before = (await on.read(id)).body
    on.nines.clock.advance(1000)
    const state = () =>
      on.nines.app.db.read
        .selectFrom('slo_states')
        .select(['burn_rates', 'current_value'])
        .where('slo_id', '=', id)
        .executeTakeFirst()
    await set(id, { budget_thresholds: [] })
    expect(JSON.parse((await state())?.burn_rates ?? '')).toHaveLength(1)
    await set(id, { burn_rate_tiers: [tier] })
    expect(await state()).toEqual({ burn_rates: '[]', current_value: 99.95 })
    const updated_at = new Date(on.nines.clock.now()).toISOString()
    expect((await on.read(id)).body).toEqual({ ...before, updated_at })
  })

  test('says which tiers can no longer fire, once the target or the window is another', async () => {
    const id = await create({ time_window: '24h' })
    await set(id, { burn_rate_tiers: [tier] })
    await on.change(id, { target: 87.5 })
    const refused =
      'with a target of 87.5 the budget burns at most 8 times as fast as it may, even when everything fails'
    expect((await read(id)).burn_rate_tiers).toMatchObject([{ refused, enabled: true }])
    await on.change(id, { target: 99, time_window: '1h' })
    const tooLong = 'a window of 2h is longer than that of the SLO, 1h'
    expect((await read(id)).burn_rate_tiers).toMatchObject([{ refused: tooLong, budget_percent: 1600 }])
    await on.change(id, { time_window: '24h' })
    expect((await read(id)).burn_rate_tiers).toMatchObject([{ refused: null }])
  })

  test('of a deleted SLO can be read, and not changed', async () => {
    const id = await create()
    await set(id, { budget_thresholds: [5] })
    await on.remove(id)
    const error = { success: false, error: 'SLO not found' }
    expect(await set(id, { budget_thresholds: [] })).toMatchObject({ status: 404, body: error })
    expect(await read(id)).toMatchObject({ slo_id: id, budget_thresholds: [5] })
  })
})

describe('it is refused', () => {
  const whole = 'must be whole minutes, hours or days, as in 5m, 1h, 3d'
  const cannot = 'this tier can never fire: '
  test.each([
    [{}, 'body: must have burn_rate_tiers, budget_thresholds or both'],
    [{ burn_rate_tiers: '' }, 'burn_rate_tiers: must be at most 10 tiers'],
    [{ burn_rate_tiers: { length: 1e9 } }, 'burn_rate_tiers: must be at most 10 tiers'],
    [{ burn_rate_tiers: Array.from({ length: 11 }, () => tier) }, 'burn_rate_tiers: must be at most 10 tiers'],
    [{ burn_rate_tiers: [tier, 5] }, 'burn_rate_tiers.1: must be a tier: long_window, short_window, factor, severity'],
    [{ burn_rate_tiers: [{ ...tier, long_window: 3600 }] }, `burn_rate_tiers.0.long_window: ${whole}`],
    [{ burn_rate_tiers: [{ ...tier, short_window: '30s' }] }, `burn_rate_tiers.0.short_window: ${whole}`],
    [{ burn_rate_tiers: [{ ...tier, short_window: '0m' }] }, `burn_rate_tiers.0.short_window: ${whole}`],
    [{ burn_rate_tiers: [{ ...tier, long_window: '4d' }] }, 'burn_rate_tiers.0.long_window: must be at most 72h'],
    [
      { burn_rate_tiers: [{ ...tier, short_window: '120m' }] },
      'burn_rate_tiers.0.short_window: must be shorter than long_window',
    ],
    [
      { burn_rate_tiers: [{ ...tier, factor: 0 }] },
      'burn_rate_tiers.0.factor: must be a number above 0 and at most 1000000',
    ],
    [
      { burn_rate_tiers: [{ ...tier, factor: 1_000_001 }] },
      'burn_rate_tiers.0.factor: must be a number above 0 and at most 1000000',
    ],
    [{ burn_rate_tiers: [{ ...tier, severity: 'mail' }] }, 'burn_rate_tiers.0.severity: must be one of page, ticket'],
    [
      { burn_rate_tiers: [{ ...tier, min_events: 1.5 }] },
      'burn_rate_tiers.0.min_events: must be a whole number from 0 to 1000000000',
    ],
    [{ burn_rate_tiers: [{ ...tier, enabled: 'yes' }] }, 'burn_rate_tiers.0.enabled: must be true or false'],
    [
      { burn_rate_tiers: [tier, { ...tier, long_window: '120m', factor: 9 }] },
      'burn_rate_tiers.1: another tier already has these windows',
    ],
    [
      { burn_rate_tiers: [tier, { ...tier, short_window: '5m', factor: 1000 }] },
      `burn_rate_tiers.1.factor: ${cannot}with a target of 99.9 the budget burns at most 1000 times as fast as it may, even when everything fails`,
    ],
    [
      { burn_rate_tiers: [{ ...tier, long_window: '25h' }] },
      `burn_rate_tiers.0.long_window: ${cannot}a window of 25h is longer than that of the SLO, 24h`,
    ],
    [{ budget_thresholds: [50, 100] }, 'budget_thresholds.1: must be a number from 0 and below 100'],
    [{ budget_thresholds: [-1] }, 'budget_thresholds.0: must be a number from 0 and below 100'],
    [{ budget_thresholds: [5, 10, 5] }, 'budget_thresholds: must have each number once'],
    [{ budget_thresholds: Array.from({ length: 11 }, (_, n) => n) }, 'budget_thresholds: must be at most 10 numbers'],
  ])('%j, with the reason, and nothing is changed', async (change, details) => {
    const id = await create({ time_window: '24h' })
    const before = await read(id)
    const { updated_at } = (await on.read(id)).body
    on.nines.clock.advance(1000)
    const refused = { success: false, error: 'Invalid request', problems: expect.any(Array) }
    const answer = await set(id, change)
    expect(rulesOf(answer.body)).toBe(details)
    expect(answer).toMatchObject({ status: 400, body: refused })
    expect(await read(id)).toEqual(before)
    expect((await on.read(id)).body.updated_at).toBe(updated_at)
  })

  test('but a tier that can never fire is taken while it is disabled', async () => {
    const id = await create({ time_window: '1h', target: 50 })
    const tiers = [{ ...tier, enabled: false }]
    expect(await set(id, { burn_rate_tiers: tiers })).toMatchObject({
      status: 200,
      body: { burn_rate_tiers: [{ enabled: false, refused: expect.any(String) }] },
    })
  })
})
