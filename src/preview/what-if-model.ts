import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import { percentOf, presentCounts } from '../sli/sli.ts'
import { QueryMetrics } from '../sli/model.ts'
import { round10 } from '../slos/arithmetic/budget.ts'
import type { PreviewHistory } from './look-back.ts'
import type { MeasuredWindow } from './what-if.ts'

const MaybeNumber = t.Nullable(t.Number())
const MaybeText = t.Nullable(t.String())

export const WhatIf = t.Object({
  windows: t.Array(
    t.Object({
      time_window: t.String(),
      window_seconds: t.Number({ description: 'length of the window, of a calendar period so far' }),
      whole_seconds: t.Number({ description: 'the same of a calendar period until its end' }),
      sli: MaybeNumber,
      status_reason: MaybeText,
      status_message: MaybeText,
      query_metrics: QueryMetrics,
    }),
    {
      description:
        'the measurements of each window that an SLO of this query could have, the shortest first; its own is the last',
    },
  ),
  steps: t.Object(
    {
      start_time: t.String(),
      end_time: t.String(),
      step_seconds: t.Number(),
      counts_events: t.Boolean({ description: 'false: total and bad are seconds' }),
      total: t.Array(MaybeNumber, {
        description: 'how many events, or seconds, each step has, to 6 digits; null where nothing was measured',
      }),
      bad: t.Array(t.Number(), { description: 'how many of them failed, to 6 digits' }),
    },
    { description: 'what alerts and burn-downs of any target are computed of; it begins before the own window' },
  ),
})

/** Presents the data from which the page computes the results for other targets and windows. */
export function presentWhatIf(windows: MeasuredWindow[], past: PreviewHistory) {
  const iso = (seconds: number) => isoTime(seconds * 1000)
  return {
    windows: windows.map(({ window, seconds, wholeSeconds, sli, measurement }) => ({
      time_window: window,
      window_seconds: seconds,
      whole_seconds: wholeSeconds,
      sli: round10(percentOf(sli)),
      status_reason: 'reason' in sli ? sli.reason : null,
      status_message: 'reason' in sli ? sli.message : null,
      query_metrics: presentCounts(measurement.counts, seconds),
    })),
    steps: {
      start_time: iso(past.startSeconds),
      end_time: iso(past.endSeconds),
      step_seconds: past.stepSeconds,
      counts_events: past.countsEvents,
      total: past.steps.map(({ total, coveredSeconds }) => (coveredSeconds > 0 ? total : null)),
      bad: past.steps.map(({ good, total }) => Number((total - good).toPrecision(6))),
    },
  }
}
