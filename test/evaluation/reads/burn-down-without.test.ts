import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'
import { evaluated, measured, startSeconds } from '../../sli/ledger-fixtures.ts'

const hour = 3600
const day = 24 * hour

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, time_window: '24h' })
  await measured(nines, { sloId: 1, resolution: 60, from: -day, to: 0 }, { good: 10, total: 10 })
  await measured(nines, { sloId: 1, resolution: 60, from: -6 * hour, to: -5 * hour }, { good: 9, total: 10 })
})
afterEach(() => nines.close())

type Point = { timestamp: string; remaining_percent: number; remaining_percent_without?: number }
const iso = (seconds: number) => new Date(1000 * (startSeconds + seconds)).toISOString()
const burnDown = async (): Promise<Point[]> => (await nines.call('GET', '/api/v1/slos/1/budget')).body.burn_down
const correct = async (from: number, to: number) => {
  const body = { slo_ids: [1], from: iso(from), to: iso(to), category: 'bad_data' }
  return (await nines.call('POST', '/api/v1/corrections', body)).body.data.id as number
}

test('without corrections the burn-down has one line', async () => {
  await evaluated(nines, 1, { own: 99.58, budgetUsed: 41.67, goodEvents: 14_340, totalEvents: 14_400 })
  for (const point of await burnDown()) expect(point).not.toHaveProperty('remaining_percent_without')
})

test('with a correction it has beside each point what would be left without it, as it was before, until it is undone', async () => {
  const uncorrected = { own: 99.583_333_333, budgetUsed: 41.666_666_667, goodEvents: 14_340, totalEvents: 14_400 }
  await evaluated(nines, 1, uncorrected)
  const before = await burnDown()
  const id = await correct(-6 * hour, -5 * hour)
  await evaluated(nines, 1, { own: 100, budgetUsed: 0, goodEvents: 13_800, totalEvents: 13_800 })
  const after = await burnDown()
  expect(after.map(({ timestamp }) => timestamp)).toEqual(before.map(({ timestamp }) => timestamp))
  expect(after.every(({ remaining_percent }) => remaining_percent === 100)).toBe(true)
  const { excluded } = (await nines.call('GET', '/api/v1/slos/1/budget')).body
  expect(after.at(-1)?.remaining_percent_without).toBeCloseTo(100 - excluded.budget_used_percent_without, 6)
  for (const [at, { remaining_percent_without }] of after.entries()) {
    expect(remaining_percent_without).toBeCloseTo(before[at]?.remaining_percent ?? Number.NaN, 4)
  }
  expect(after.at(-1)?.remaining_percent_without).toBeCloseTo(100 - (100 * 60) / 144, 4)
  await nines.call('DELETE', `/api/v1/corrections/${id}`)
  await evaluated(nines, 1, uncorrected)
  expect(await burnDown()).toEqual(before)
})

test('a correction of a part leaves the rest out of neither figure', async () => {
  await correct(-6 * hour, -5 * hour - hour / 2)
  await evaluated(nines, 1, { own: 99.787, budgetUsed: 21.27, goodEvents: 14_070, totalEvents: 14_100 })
  const last = (await burnDown()).findLast(({ timestamp }) => timestamp < iso(0))
  expect(last?.remaining_percent).toBeCloseTo(100 - (100 * 30) / 141, 4)
  expect(last?.remaining_percent_without).toBeCloseTo(100 - (100 * 60) / 144, 4)
})
