import { expect, test } from 'bun:test'
import { burnDownLines, hasLine } from '../../../../src/web/page/slo/budget-chart-lines.ts'
import { burnDown } from '../../../../src/web/page/what-if/burn-down.ts'
import { knownWindow, whatIf } from '../../../../src/web/page/what-if/what-if.ts'

const endMs = Date.parse('2026-11-26T16:39:00Z')
const iso = (minutes: number) => new Date(endMs + minutes * 60_000).toISOString()

/** Burn-down of a window of 30 days with data of the last minutes only, in steps of five minutes; a fifth of each step failed. */
function burnDownSince(minutes: number) {
  const steps = { start_time: iso(-30 * 1440), end_time: iso(0), step_seconds: 300, counts_events: false }
  const ago = (at: number) => (8640 - at) * 5
  const total = Array.from({ length: 8640 }, (_, at) => (ago(at) < minutes + 5 ? 300 : null))
  const data = {
    windows: [
      {
        time_window: '30d',
        window_seconds: 2_592_000,
        whole_seconds: 2_592_000,
        sli: 80,
        status_reason: null,
        status_message: null,
        query_metrics: null,
      },
    ],
    steps: { ...steps, total, bad: total.map((all) => (all ?? 0) / 5) },
  }
  const known = knownWindow(data, '30d', iso(-minutes))
  if (!known) throw new Error('must be known')
  return burnDown(known, whatIf(known, 99.9))
}

test.each([3, 8, 12])('the burn-down of a preview with %p minutes of data is drawn over these minutes', (minutes) => {
  const points = burnDownSince(minutes)
  const { times, lines } = burnDownLines(
    {
      burn_down: points,
      time_window: '30d',
      window_seconds: 2_592_000,
      period: null,
      calendar: [],
      forecast: { exhausts_at: null },
      target: 99.9,
      events: null,
    },
    endMs,
  )
  expect([times[0], times.at(-1), times.length]).toEqual([endMs / 1000 - minutes * 60, endMs / 1000, minutes + 1])
  const left = lines[0]?.values.slice(1).map((percent) => percent?.toFixed(6))
  expect(left).toEqual(Array.from({ length: minutes }, (_, at) => (100 - ((at + 1) * 20) / 43.2).toFixed(6)))
  expect(hasLine(points)).toBe(true)
})

test('the burn-down of a preview with one minute of data has no line', () => {
  expect(hasLine(burnDownSince(1))).toBe(false)
})
