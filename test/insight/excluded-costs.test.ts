import { afterEach, beforeEach, expect, test } from 'bun:test'
import { evaluated, measured, startSeconds } from '../sli/ledger-fixtures.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

const hour = 3600

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, time_window: '7d' })
  await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute() // nobody knows how old the SLO is: nothing is scaled
  await measured(nines, { sloId: 1, resolution: 60, from: -2 * hour, to: 0 }, { good: 100, total: 100 })
  await measured(nines, { sloId: 1, resolution: 60, from: -3000, to: -2400 }, { good: 70, total: 100 })
})
afterEach(() => nines.close())

const at = (seconds: number) => new Date(1000 * (startSeconds + seconds)).toISOString()

/** Stores an incident that is over. */
async function incident(from: number, to: number, change: object = {}): Promise<void> {
  const [began_at, recovered_at] = [startSeconds + from, startSeconds + to]
  const values = {
    organization_id: 1,
    slo_id: 1,
    severity: 'critical',
    state: 'closed',
    relapses: 0,
    began_at,
    recovered_at,
  } as const
  const times = {
    opened_at: began_at,
    since: began_at,
    closed_at: recovered_at + 900,
    close_reason: 'recovered',
  } as const
  await nines.app.db.write
    .insertInto('incidents')
    .values({ ...values, ...times, ...change })
    .execute()
}

async function correct(from: number, to: number): Promise<number> {
  const body = { slo_ids: [1], from: at(from), to: at(to), category: 'bad_data' }
  const { status, body: answer } = await nines.call('POST', '/api/v1/corrections', body)
  expect({ status, answer }).toMatchObject({ status: 201 })
  return answer.data.id
}

const costs = async () =>
  (await nines.call('GET', '/api/v1/incidents?state=all')).body.incidents.map(
    ({ budget_percent, excluded }: { budget_percent: number; excluded: object | null }) => ({
      budget_percent,
      excluded,
    }),
  )
const one = async () => (await nines.call('GET', '/api/v1/incidents/1')).body.data.excluded

// 120 min of 100 events up to the end of the incident at -2400: 80 min, of which 8,000 events allow 80 failures
const whole = 8000 * 0.01

test('an incident without corrections has nothing left out', async () => {
  await incident(-3000, -2400)
  expect(await costs()).toEqual([{ budget_percent: expect.closeTo((100 * 300) / whole, 6), excluded: null }])
})

test('an incident of which a correction leaves out a part has failures and cost with and without it', async () => {
  await incident(-3000, -2400)
  await correct(-3000, -2700)
  const excluded = {
    seconds: 300,
    unit: 'seconds',
    bad_events: 150,
    bad_events_without: 300,
    budget_percent_without: expect.closeTo((100 * 300) / whole, 6),
    resolution: '1m',
  }
  expect(await costs()).toEqual([{ budget_percent: expect.closeTo((100 * 150) / 75, 6), excluded }])
  expect(await one()).toEqual(excluded)
})

test('an incident that is wholly under a correction cost nothing, and says what it would have cost, until the correction is undone', async () => {
  await incident(-3000, -2400)
  const before = await costs()
  const id = await correct(-3600, 0)
  expect(await costs()).toEqual([
    {
      budget_percent: 0,
      excluded: {
        seconds: 600,
        unit: 'seconds',
        bad_events: 0,
        bad_events_without: 300,
        budget_percent_without: expect.closeTo((100 * 300) / whole, 6),
        resolution: '1m',
      },
    },
  ])
  await nines.call('DELETE', `/api/v1/corrections/${id}`)
  expect(await costs()).toEqual(before)
})

test('a correction outside of an incident leaves nothing out of it', async () => {
  await incident(-3000, -2400)
  await correct(-2400, -1200)
  expect(await costs()).toMatchObject([{ excluded: null }])
})

test('an outage under a correction costs what counts of it, not its duration', async () => {
  await evaluated(nines, 1, { own: 99, totalEvents: null })
  await incident(-3000, -2400, { reason: 'HTTP 503' })
  const [before] = await costs()
  expect(before.budget_percent).toBeGreaterThan(0)
  await correct(-3600, 0)
  expect(await costs()).toMatchObject([{ budget_percent: 0, excluded: { seconds: 600, bad_events: 0 } }])
})

test.each([
  ['weighted', { bad_events: 0, bad_events_without: 90 }],
  ['worst', { bad_events: 0, bad_events_without: 180 }],
] as const)(
  'an incident of a composite (%s) has failures and cost with and without corrections of its members',
  async (method, failures) => {
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Cart', target: 99, time_window: '7d' })
    await measured(nines, { sloId: 2, resolution: 60, from: -2 * hour, to: 0 }, { good: 100, total: 100 })
    const composite = { method, members: [{ slo_id: 1 }, { slo_id: 2 }] }
    const buying = { name: 'Buying', target: 99, time_window: '7d', metric_type: 'availability', composite }
    const { body } = await nines.call('POST', '/api/v1/slos', buying)
    await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute()
    await incident(-3000, -2400, { slo_id: body.id })
    const [before] = await costs()
    expect(before).toEqual({ budget_percent: expect.any(Number), excluded: null })
    const id = await correct(-3000, -2400)
    expect(await costs()).toEqual([
      {
        budget_percent: 0,
        excluded: {
          seconds: 600,
          unit: 'seconds',
          ...failures,
          budget_percent_without: expect.closeTo(before.budget_percent, 6),
          resolution: '1m',
        },
      },
    ])
    await nines.call('DELETE', `/api/v1/corrections/${id}`)
    expect(await costs()).toEqual([before])
  },
)
