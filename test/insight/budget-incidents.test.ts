import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'
import { evaluated, measured } from '../sli/ledger-fixtures.ts'

const minute = 60
const hour = 3600
const day = 24 * hour

let nines: TestApp
let sloId: number
beforeEach(async () => {
  nines = await joinedApp()
  sloId = (await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, time_window: '24h' })).body.id
})
afterEach(() => nines.close())

const incidents = async (token?: string) =>
  nines.call('GET', `/api/v1/slos/${sloId}/incidents`, undefined, token ? { token } : {})
const past = (from: number, to: number, bad: number) =>
  measured(nines, { sloId, resolution: 60, from, to }, { good: 100 - bad, total: 100 })

test('the incidents of the window, the costliest first, and the rest add up to what was used', async () => {
  await past(-day, -5 * hour, 0)
  await past(-5 * hour, -5 * hour + 10 * minute, 50)
  await past(-5 * hour + 10 * minute, -hour, 0)
  await past(-hour, -hour + 20 * minute, 5)
  await past(-hour + 20 * minute, 0, 0.25)
  const bad = 500 + 100 + 10
  await evaluated(nines, sloId, {
    own: 100 - bad / 1440,
    budgetUsed: (100 * bad) / 1440,
    goodEvents: 1,
    totalEvents: 1,
  })
  const { status, body } = await incidents()
  expect(status).toBe(200)
  expect(body).toMatchObject({
    slo_id: sloId,
    target: 99,
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-21T10:00:00.000Z',
    incidents: [
      {
        began_at: '2026-11-21T05:00:00.000Z',
        ended_at: '2026-11-21T05:10:00.000Z',
        ongoing: false,
        duration_seconds: 600,
        bad_events: 500,
        total_events: 1000,
        peak_percent: 50,
      },
      { began_at: '2026-11-21T09:00:00.000Z', duration_seconds: 1200, bad_events: 100 },
    ],
  })
  expect(body.incidents.map((one: { budget_used_percent: number }) => one.budget_used_percent)).toEqual([
    expect.closeTo((100 * 500) / 1440, 9),
    expect.closeTo((100 * 100) / 1440, 9),
  ])
  expect(body.background_percent).toBeCloseTo((100 * 10) / 1440, 9)
})

test('the background of incidents that explain all that was used is 0', async () => {
  await past(-day, 0, 0)
  await past(-10 * hour, -10 * hour + 10 * minute, 10)
  await past(-8 * hour, -8 * hour + 10 * minute, 70)
  await past(-6 * hour, -6 * hour + 30 * minute, 100)
  await evaluated(nines, sloId, { budgetUsed: 0.7 })
  const { body } = await incidents()
  expect(body.incidents).toHaveLength(3)
  expect(body.background_percent).toBe(0)
})

test('an incident of two outages says when it failed, without the good minutes in between', async () => {
  await past(-day, -2 * hour, 0)
  await past(-2 * hour, -2 * hour + 6 * minute, 100)
  await past(-2 * hour + 6 * minute, -2 * hour + 12 * minute, 0)
  await past(-2 * hour + 12 * minute, -2 * hour + 13 * minute, 50)
  await past(-2 * hour + 13 * minute, 0, 0)
  await evaluated(nines, sloId, { budgetUsed: 45 })
  expect((await incidents()).body.incidents).toMatchObject([
    {
      duration_seconds: 780,
      failing_seconds: 420,
      stretches: [
        { began_at: '2026-11-21T08:00:00.000Z', ended_at: '2026-11-21T08:06:00.000Z' },
        { began_at: '2026-11-21T08:12:00.000Z', ended_at: '2026-11-21T08:13:00.000Z' },
      ],
    },
  ])
})

test('an incident that reaches the last quarter of an hour goes on', async () => {
  await past(-day, -20 * minute, 0)
  await past(-20 * minute, -5 * minute, 80)
  await past(-5 * minute, 0, 0)
  await evaluated(nines, sloId, { budgetUsed: 83 })
  expect((await incidents()).body.incidents).toMatchObject([{ ongoing: true }])
})

test('whatever happened, incidents and background add up to what was used', async () => {
  const stretch = fc.record({ minutes: fc.integer({ min: 1, max: 300 }), bad: fc.constantFrom(0, 0, 0, 1, 3, 40, 100) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(stretch, { minLength: 1, maxLength: 12 }),
      fc.double({ min: 0, max: 500, noNaN: true }),
      async (stretches, budgetUsed) => {
        await nines.app.db.write.deleteFrom('buckets').execute()
        let from = -day
        for (const { minutes, bad } of stretches) {
          const to = Math.min(0, from + minutes * minute)
          if (to > from) await past(from, to, bad)
          from = to
        }
        await evaluated(nines, sloId, { budgetUsed })
        const { body } = await incidents()
        const parts = body.incidents.map((one: { budget_used_percent: number }) => one.budget_used_percent)
        const sum = parts.reduce((total: number, part: number) => total + part, body.background_percent)
        expect(sum).toBeCloseTo(budgetUsed, 6)
        expect(body.background_percent).toBeGreaterThanOrEqual(0)
      },
    ),
    { numRuns: 25 },
  )
})

test('an SLO that was never measured has none, and one of another organization is not found', async () => {
  expect((await incidents()).body).toMatchObject({ budget_used_percent: null, background_percent: null, incidents: [] })
  expect((await incidents(await nines.join('eve'))).status).toBe(404)
})

test('a stretch of lost budget names the incident of the alerts that overlap it and its severity, and none that no alert saw', async () => {
  await past(-day, -5 * hour, 0)
  await past(-5 * hour, -5 * hour + 10 * minute, 50)
  await past(-5 * hour + 10 * minute, -hour, 0)
  await past(-hour, -hour + 20 * minute, 50)
  await past(-hour + 20 * minute, 0, 0)
  await evaluated(nines, sloId, { own: 99, budgetUsed: 100, goodEvents: 1, totalEvents: 1 })
  const nowSeconds = nines.clock.now() / 1000
  const incident = (began: number, ended: number) => ({
    organization_id: 1,
    slo_id: sloId,
    severity: 'warning' as const,
    state: 'closed' as const,
    began_at: nowSeconds + began,
    opened_at: nowSeconds + began + minute,
    since: nowSeconds + began,
    recovered_at: nowSeconds + ended,
    closed_at: nowSeconds + ended + 15 * minute,
    close_reason: 'recovered' as const,
    relapses: 0,
  })
  const spans = [incident(-2 * day, -2 * day + hour), incident(-hour + minute, -hour + 25 * minute)]
  await nines.app.db.write.insertInto('incidents').values(spans).execute()
  const { body } = await incidents()
  type Row = { id: number | null; severity: string | null; began_at: string }
  const rows = body.incidents.map(({ id, severity, began_at }: Row) => [began_at, id, severity])
  expect(rows.toSorted()).toEqual([
    ['2026-11-21T05:00:00.000Z', null, null],
    ['2026-11-21T09:00:00.000Z', 2, 'warning'],
  ])
})
