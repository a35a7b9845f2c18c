import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { Decoded, Format } from '../../http/schemas.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import { durationSeconds } from '../../promql/literals.ts'
import type { Steps } from './series-steps.ts'
import type { SeriesPoint } from './series.ts'

/** A duration in a query string, in seconds. */
function QueryDuration() {
  const description = 'a duration in whole minutes such as 5m, 6h or 7d'
  const format = Format('series-duration', description, (text) => /^[1-9]\d{0,5}[mhdw]$/.test(text))
  return Decoded(format, (text) => durationSeconds(text) ?? NaN)
}

export const SeriesQuery = t.Object({
  period: t.Optional(QueryDuration()),
  start: t.Optional(QueryTime()),
  end: t.Optional(QueryTime()),
  step: t.Optional(QueryDuration()),
})

export const SloSeries = t.Object(
  {
    slo_id: t.Number(),
    revision: t.Number(),
    start_time: t.String(),
    end_time: t.String(),
    step_seconds: t.Number(),
    points: t.Array(
      t.Object({
        timestamp: t.String(),
        sli: t.Nullable(t.Number()),
        coverage: t.Number(),
        good: t.Number(),
        total: t.Number({ description: 'how many events the step has, or how many seconds of it were measured' }),
        resolution_seconds: t.Number(),
        revision: t.Number(),
      }),
    ),
  },
  { title: 'SloSeries' },
)

/** Presents a series; a point's `timestamp` is the start of its step. */
export function presentSeries(sloId: number, steps: Steps, series: { revision: number; points: SeriesPoint[] }) {
  return {
    slo_id: sloId,
    revision: series.revision,
    start_time: isoTime(steps.startSeconds * 1000),
    end_time: isoTime(steps.endSeconds * 1000),
    step_seconds: steps.stepSeconds,
    points: series.points.map((point) => ({
      timestamp: isoTime(point.atSeconds * 1000),
      sli: point.sliPercent,
      coverage: point.coverage,
      good: point.good,
      total: point.total,
      resolution_seconds: point.resolutionSeconds,
      revision: point.revision,
    })),
  }
}
