import { burnDown } from '../../../src/web/page/what-if/burn-down.ts'
import { sliderTargets } from '../../../src/web/page/what-if/targets.ts'
import { knownWindow, whatIf } from '../../../src/web/page/what-if/what-if.ts'

const stepSeconds = 300
const steps = (33 * 86_400) / stepSeconds // of a 30-day preview: alerts look back three more days
const endMs = Date.UTC(2026, 10, 22)

/** Milliseconds to compute each position of the target slider, for a window of 30 days with four tiers. */
export function timesOfWhatIf(): number[] {
  const total = Array.from({ length: steps }, (_, at) => 3000 + (at % 97) * 11.37)
  const known = knownWindow(
    {
      windows: [
        {
          time_window: '30d',
          window_seconds: 2_592_000,
          whole_seconds: 2_592_000,
          sli: 99.9,
          status_reason: null,
          status_message: null,
          query_metrics: null,
        },
      ],
      steps: {
        start_time: new Date(endMs - steps * stepSeconds * 1000).toISOString(),
        end_time: new Date(endMs).toISOString(),
        step_seconds: stepSeconds,
        counts_events: true,
        total,
        bad: total.map((all, at) => (at % 700 < 5 ? all * 0.2 : at % 7 === 0 ? 3.3 : 0)), // outages every 58 hours, and noise
      },
    },
    '30d',
    new Date(endMs - steps * stepSeconds * 1000).toISOString(),
  )
  if (!known) throw new Error('must know the window')
  return Array.from({ length: 5 }, () => sliderTargets)
    .flat()
    .map((target) => {
      const startMs = performance.now()
      burnDown(known, whatIf(known, target))
      return performance.now() - startMs
    })
}
