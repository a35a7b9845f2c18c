import { afterEach, beforeEach, expect, test } from 'bun:test'
import { measured, startSeconds } from '../sli/ledger-fixtures.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

const hour = 3600
const day = 24 * hour

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, time_window: '7d' })
  await setBackfill('failed') // nobody knows how old the SLO is: nothing is scaled
})
afterEach(() => nines.close())

const setBackfill = (status: 'waiting' | 'failed') =>
  nines.app.db.write.updateTable('backfills').set({ status }).execute()

async function alert(beganAt: number, endedAt: number | null, name = 'status'): Promise<void> {
  const began_at = startSeconds + beganAt
  const ended_at = endedAt === null ? null : startSeconds + endedAt
  const values = { organization_id: 1, slo_id: 1, name, severity: 'critical', began_at, ended_at } as const
  await nines.app.db.write.insertInto('alerts').values(values).execute()
}
const costs = async () => {
  const { body } = await nines.call('GET', '/api/v1/notifications/alerts?state=all')
  return body.alerts.map(({ budget_percent, budget_resolution_seconds }: Record<string, number | null>) => [
    budget_percent,
    budget_resolution_seconds,
  ])
}

test('an alert cost what failed from its begin to its end, of the budget of the window up to its end', async () => {
  await measured(nines, { sloId: 1, resolution: 60, from: -2 * hour, to: 0 }, { good: 100, total: 100 })
  await measured(nines, { sloId: 1, resolution: 60, from: -3000, to: -2400 }, { good: 70, total: 100 })
  await alert(-2700, -2400)
  await alert(-3600, null)
  // 5 min × 30 of (7200 - 2400) s / 60 × 100 × 1 %: 150 of 80; so far 300 of 119, as the last minute is evaluated 5 s after its end
  expect(await costs()).toEqual([
    [expect.closeTo(30_000 / 119, 6), 60],
    [187.5, 60],
  ])
})

test('what is known by the hour alone is rounded outward, and what was not measured is not known', async () => {
  await measured(nines, { sloId: 1, resolution: hour, from: -5 * day, to: -4 * day }, { good: 3600, total: 3600 })
  await measured(
    nines,
    { sloId: 1, resolution: hour, from: -4 * day - hour, to: -4 * day },
    { good: 3420, total: 3600 },
  )
  await alert(-4 * day - 1800, -4 * day - 1200)
  await alert(-20 * day, -20 * day + 600, 'budget:0')
  expect(await costs()).toEqual([
    [null, null],
    [expect.closeTo((100 * 180) / (24 * 36), 6), hour],
  ])
})

test('while a backfill may bring earlier samples, the cost of an alert is not known', async () => {
  await measured(nines, { sloId: 1, resolution: 60, from: -2 * hour, to: 0 }, { good: 50, total: 100 })
  await alert(-2700, -2400)
  await setBackfill('waiting')
  expect(await costs()).toEqual([[null, null]])
})
