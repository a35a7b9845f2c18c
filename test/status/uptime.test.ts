import { expect, test } from 'bun:test'
import { uptimeText } from '../../src/status/health-routes.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

test.each([
  [0, '0m'],
  [minute - 1, '0m'],
  [minute, '1m'],
  [59 * minute + 59_999, '59m'],
  [hour, '1h 0m'],
  [2 * hour + 15 * minute, '2h 15m'],
  [day - 1, '23h 59m'],
  [day, '1d 0h 0m'],
  [3 * day + 2 * hour + 15 * minute, '3d 2h 15m'],
  [400 * day + 5 * minute, '400d 0h 5m'],
  [-1, '0m'], // the clock was set back
])('%d ms is %s', (ms, text) => {
  expect(uptimeText(ms)).toBe(text)
})
