import { expect, test } from 'bun:test'
import { forecastOf } from '../../src/notifications/notification-data.ts'
import { someAlert } from '../support/messages.ts'
import { budgetAlert, statusAlert } from '../support/template-data.ts'

const measured_at = '2026-03-01T12:00:00.000Z'
const burning = { time_window: '30d', measured_at, error_budget_remaining: 40, alert: someAlert() }

test('the forecast of a burn-rate alert says what it extrapolates, as text and in seconds', () => {
  expect(forecastOf(burning)).toEqual({
    exhausted_in_seconds: 64_000,
    burn_rate: 16.2,
    basis: 'the burn rate of the last 1h',
    basis_seconds: 3600,
  })
})

test('what is left of a calendar period bounds its forecast', () => {
  const month = { ...burning, time_window: 'month', time_zone: 'UTC', measured_at: '2026-02-10T00:00:00.000Z' }
  expect(forecastOf(month)?.exhausted_in_seconds).toBe(Math.round((28 * 86_400 * 0.4) / 16.2))
  expect(forecastOf({ ...month, measured_at: '2026-02-28T12:00:00.000Z' })).toBeNull()
})

test.each([
  { alert: null },
  { alert: statusAlert },
  { alert: budgetAlert(25) },
  { alert: someAlert({ ended_at: '2026-03-01T12:00:00.000Z' }) },
  { alert: someAlert({ burn_rate: null }) },
  { error_budget_remaining: 0 },
  { error_budget_remaining: null },
])('there is no forecast with %j', (change) => {
  expect(forecastOf({ ...burning, ...change })).toBeNull()
})
