import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { suggestTarget as suggestTargetOfServer } from '../../../src/insight/suggestions/target.ts'
import { suggestTarget } from '../../../src/web/page/what-if/suggest-target.ts'

const days = 30
const seconds = days * 86_400

test('the page suggests the target that the suggestions of a source have, of the same 30 days', () => {
  const counted = fc.record({
    total: fc.integer({ min: 1, max: 1e9 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(
      counted,
      fc.boolean(),
      fc.constantFrom(1, 0.01, 1e-4, 0),
      ({ total: events, share }, countsEvents, scale) => {
        const total = countsEvents ? events : seconds
        const bad = countsEvents ? Math.round(total * share * scale) : total * share * scale
        const sli = 100 - (100 * bad) / total
        const counts = { good_events: total - bad, total_events: total, window_seconds: seconds }
        const data = {
          windows: [
            {
              time_window: '30d',
              window_seconds: 2_592_000,
              whole_seconds: 2_592_000,
              sli,
              status_reason: null,
              status_message: null,
              query_metrics: counts,
            },
          ],
          steps: {
            start_time: '2026-10-23T00:00:00Z',
            end_time: '2026-11-22T00:00:00Z',
            step_seconds: seconds,
            counts_events: countsEvents,
            total: [total],
            bad: [bad],
          },
        }
        const known = { knownDays: days, daysPercent: [], isEstimate: false }
        const past = { ...known, sliPercent: sli, events: countsEvents ? total : null }
        expect(suggestTarget(data, '30d', sli).target).toBe(suggestTargetOfServer(past).target)
      },
    ),
    { seed: 20_261_125, numRuns: 500 },
  )
})
