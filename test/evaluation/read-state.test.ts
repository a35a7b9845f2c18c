import { expect, test } from 'bun:test'
import type { StateRow } from '../../src/db/tables/tables.ts'
import { readState, stateValidUntil } from '../../src/evaluation/read-state.ts'
import { testStartMs } from '../support/app.ts'

const minute = 60_000

const row = (change: Partial<StateRow> = {}): StateRow => ({
  slo_id: 1,
  organization_id: 1,
  revision: 1,
  status: 'warning',
  reason: null,
  message: null,
  evaluated_at: testStartMs + 900,
  measured_at: testStartMs,
  current_value: 99.2,
  own_value: 99.7,
  budget_used: 30,
  window_share: 0.5,
  first_sample_at: testStartMs - 15 * 86_400_000,
  good_events: 997,
  total_events: 1000,
  current_coverage: 1,
  own_coverage: 0.75,
  running_seconds: 0,
  running_good: 0,
  running_total: 0,
  burn_rates: '[]',
  burn_rate_now: 2,
  state: 'ok',
  state_since: testStartMs / 1000,
  state_reason: null,
  ...change,
})
const unscaled = { windowShare: null, countsEvents: false }
const values = {
  current: null,
  own: null,
  budgetUsed: null,
  currentCoverage: null,
  ownCoverage: null,
  burnRates: [],
  ...unscaled,
}
const last = { atMs: testStartMs, current: 99.2, own: 99.7, budgetUsed: 30, windowShare: 0.5, countsEvents: true }
const steady = { state: 'ok', stateReason: null, stateSinceSeconds: testStartMs / 1000 } as const

test('a fresh evaluation is the present, up to three intervals after it', () => {
  expect(readState(row(), testStartMs + 3 * minute, 60)).toEqual({
    status: 'warning',
    reason: null,
    message: null,
    current: 99.2,
    own: 99.7,
    budgetUsed: 30,
    windowShare: 0.5,
    countsEvents: true,
    currentCoverage: 1,
    ownCoverage: 0.75,
    burnRates: [],
    ...steady,
    burnRateNow: 2,
    evaluatedAtMs: testStartMs + 900,
    ageSeconds: 180,
    isStale: false,
    lastMeasured: null,
  })
})

test('an older one is stale: unknown since it was measured, with its age, its values only as those of then', () => {
  expect(readState(row(), testStartMs + 3 * minute + 1, 60)).toEqual({
    ...values,
    status: 'unknown',
    reason: 'stale',
    state: 'unknown',
    stateReason: 'stale',
    stateSinceSeconds: testStartMs / 1000,
    burnRateNow: null,
    message: 'Not evaluated since 2026-11-21T10:00:00.900Z',
    evaluatedAtMs: testStartMs + 900,
    ageSeconds: 180,
    isStale: true,
    lastMeasured: { ...last, ageSeconds: 180 },
  })
})

test.each([
  [300, 15 * minute],
  [60, 3 * minute],
  [10, 3 * minute], // evaluations end at whole minutes
  [0, 3 * minute], // evaluated manually
])('with an interval of %p s it is stale after %p ms', (intervalSeconds, limitMs) => {
  expect(readState(row(), testStartMs + limitMs, intervalSeconds).isStale).toBe(false)
  expect(readState(row(), testStartMs + limitMs + 1, intervalSeconds).isStale).toBe(true)
})

test('a source that does not answer leaves no value, only those of the last time it did', () => {
  const failed = { status: 'unknown', reason: 'source_error', message: 'did not answer' } as const
  const soon = row({ ...failed, evaluated_at: testStartMs + minute })
  expect(readState(soon, testStartMs + 2 * minute, 60)).toEqual({
    ...values,
    ...failed,
    ...steady,
    burnRateNow: null,
    evaluatedAtMs: testStartMs + minute,
    ageSeconds: 120,
    isStale: false,
    lastMeasured: { ...last, ageSeconds: 120 },
  })
  const tried = row({ ...failed, evaluated_at: testStartMs + 60 * minute })
  expect(readState(tried, testStartMs + 61 * minute, 60)).toMatchObject({ ...failed, isStale: true, ageSeconds: 3660 })
  expect(readState(tried, testStartMs + 64 * minute, 60)).toMatchObject({ reason: 'stale', isStale: true })
})

test('one that failed from the beginning has nothing measured, and no age', () => {
  const failed = row({ status: 'unknown', reason: 'source_error', message: 'x', measured_at: null })
  expect(readState(failed, testStartMs + minute, 60)).toMatchObject({
    reason: 'source_error',
    isStale: false,
    ageSeconds: null,
    lastMeasured: null,
  })
})

test('without data there is no value now, while the SLO’s own window and its budget are known', () => {
  const empty = { status: 'unknown', reason: 'no_data', message: 'no samples', current_value: null } as const
  expect(readState(row({ ...empty, current_coverage: 0 }), testStartMs + minute, 60)).toMatchObject({
    status: 'unknown',
    reason: 'no_data',
    message: 'no samples',
    current: null,
    own: 99.7,
    budgetUsed: 30,
    currentCoverage: 0,
    ownCoverage: 0.75,
    isStale: false,
    lastMeasured: { current: null, own: 99.7, budgetUsed: 30 },
  })
})

test('what was never evaluated is warming up', () => {
  const warming = { ...values, status: 'unknown', reason: 'warming_up', isStale: false, lastMeasured: null } as const
  expect(readState(null, testStartMs, 60)).toMatchObject(warming)
  const edited = row({ status: 'unknown', reason: 'warming_up', measured_at: null })
  expect(readState(edited, testStartMs + 60 * minute, 60)).toMatchObject(warming)
})

test('what is said of a state holds, but for its age, up to the millisecond in which it changes', () => {
  const times = [0, 900, 2900, 60_000, 180_000, 240_000]
  for (const measured_at of [null, ...times].map((ms) => ms && testStartMs + ms)) {
    for (const evaluated_at of times.map((ms) => testStartMs + ms)) {
      for (const reason of [null, 'source_error', 'warming_up']) {
        const state = row({ measured_at, evaluated_at, reason })
        const at = (nowMs: number) => {
          const { ageSeconds: _, lastMeasured, ...said } = readState(state, nowMs, 60)
          return { ...said, lastMeasured: lastMeasured && { ...lastMeasured, ageSeconds: 0 } }
        }
        for (let nowMs = testStartMs - 5000; nowMs < testStartMs + 500_000;) {
          const untilMs = stateValidUntil(state, nowMs, 60)
          const endMs = Math.min(untilMs, testStartMs + 600_000)
          for (const held of [Math.min(nowMs + 1, endMs - 1), Math.floor((nowMs + endMs) / 2), endMs - 1])
            expect(at(held)).toEqual(at(nowMs))
          nowMs = endMs
        }
      }
    }
  }
})
