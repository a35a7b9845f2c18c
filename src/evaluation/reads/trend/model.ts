import { type Static, t } from 'elysia'
import { FormatRegistry } from 'elysia/type-system'
import { isoTime } from '../../../clock.ts'
import { guardOf } from '../../../http/schemas.ts'
import type { AvailabilityTrend } from './availability-trend.ts'
import { durationSeconds } from '../../../promql/literals.ts'
import type { Steps } from '../series-steps.ts'

const maxSeconds = 90 * 86_400

FormatRegistry.Set('whole-minutes', (text) => {
  const seconds = /^\d{1,7}[smhd]$/.test(text) ? durationSeconds(text) : undefined
  return seconds !== undefined && seconds > 0 && seconds % 60 === 0 && seconds <= maxSeconds
})

const WholeMinutes = t.String({
  format: 'whole-minutes',
  description: 'whole minutes, at most 90d, written like 30m, 24h or 7d',
})

export const TrendQuery = t.Object({ period: t.Optional(WholeMinutes), step: t.Optional(WholeMinutes) })

export const Trend = t.Object(
  {
    period: t.String(),
    step: t.String(),
    start_time: t.String(),
    end_time: t.String(),
    points: t.Array(t.Object({ timestamp: t.String(), avg_sli: t.Number(), slo_count: t.Number() })),
    metadata: t.Object({ cached: t.Boolean() }),
  },
  { title: 'AvailabilityTrend' },
)

/** As with a calculation, `metadata.cached` of what is kept is of no account. */
export type Trend = Static<typeof Trend>
export const isTrend = guardOf(Trend)

/** A point bears the time at which its step begins; the last may be of a step that is not over. */
export function presentTrend(period: string, steps: Steps, { endSeconds, points }: AvailabilityTrend): Trend {
  return {
    period,
    step: written(steps.stepSeconds),
    start_time: isoTime(steps.startSeconds * 1000),
    end_time: isoTime(endSeconds * 1000),
    points: points.map(({ atSeconds, avgSli, sloCount }) => ({
      timestamp: isoTime(atSeconds * 1000),
      avg_sli: avgSli,
      slo_count: sloCount,
    })),
    metadata: { cached: false },
  }
}

function written(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}
