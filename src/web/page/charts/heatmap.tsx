import { signal } from '@preact/signals'
import type { Series, SeriesPoint, Slo } from '../api/types.ts'
import { formatCount, formatDay, formatMoment, formatPercent } from '../format.ts'
import { nowMs } from '../ui/time.tsx'
import { Figure } from './figure.tsx'

const wide = 28
const high = 14
const hourMs = 3_600_000

/** The steps of the colours: the failed share of an hour in multiples of what the target allows. */
const bounds = [1, 2, 5, 10, 50]

/** Of each hour of 30 days, the share that failed. Days run to the right, hours down. */
export function Heatmap({ slo, series }: { slo: Slo; series: Series }) {
  const pointed = signal<SeriesPoint | null>(null)
  const days = [...Map.groupBy(series.points, ({ timestamp }) => new Date(timestamp).toDateString())]
  const now = nowMs.peek()
  const worst = series.points.reduce(
    (most, point) => ((point.sli ?? 101) < (most?.sli ?? 101) ? point : most),
    series.points[0],
  )
  return (
    <Figure
      title="Failed per hour, 30 days"
      name={`hours-${slo.id}`}
      sentence={
        <>
          {worst === undefined || worst.sli === null
            ? 'Nothing was measured.'
            : `The worst hour was ${formatMoment(Date.parse(worst.timestamp), now)} with ${formatPercent(100 - worst.sli, 2)} failed.`}{' '}
          <Pointed pointed={pointed} />
        </>
      }
      figures={() => ({
        columns: ['Hour', 'Failed, %', 'Failed', 'All'],
        rows: series.points.map(({ timestamp, sli, good, total }) => [
          timestamp,
          sli === null ? null : 100 - sli,
          good === null || total === null ? null : total - good,
          total,
        ]),
      })}
    >
      <div class="heatmap" onPointerLeave={() => (pointed.value = null)}>
        <svg
          viewBox={`-48 -20 ${days.length * wide + 48} ${24 * high + 20}`}
          role="img"
          aria-label="Failed share of each hour"
        >
          {[0, 6, 12, 18].map((hour) => (
            <text key={hour} x={-48} y={hour * high + 10}>
              {String(hour).padStart(2, '0')}:00
            </text>
          ))}
          {days.map(([day, points], column) => (
            <g key={day} transform={`translate(${column * wide} 0)`}>
              {column % 5 === 0 && <text y={-8}>{formatDay(Date.parse(points[0]?.timestamp ?? ''), now)}</text>}
              {points.map((point) => (
                <rect
                  key={point.timestamp}
                  class={`heat${heatOf(point, slo.target)}`}
                  y={new Date(point.timestamp).getHours() * high}
                  width={wide - 2}
                  height={high - 2}
                  rx="2"
                  onPointerEnter={() => (pointed.value = point)}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
    </Figure>
  )
}

function Pointed({ pointed }: { pointed: { value: SeriesPoint | null } }) {
  const point = pointed.value
  if (!point) return <span class="muted">Point at an hour for its figures.</span>
  const from = Date.parse(point.timestamp)
  const failed =
    point.good === null || point.total === null
      ? ''
      : `: ${formatCount(point.total - point.good)} of ${formatCount(point.total)}`
  return (
    <span>
      {formatMoment(from, nowMs.peek())} to {formatMoment(from + hourMs, nowMs.peek())}:{' '}
      {point.sli === null ? 'no data' : `${formatPercent(100 - point.sli, 3)} failed${failed}`}
    </span>
  )
}

/** The colour of an hour: `-none` without data, 0 up to what the target allows, 5 from fifty times that. */
export function heatOf({ sli }: Pick<SeriesPoint, 'sli'>, targetPercent: number): number | '-none' {
  if (sli === null) return '-none'
  const times = (100 - sli) / (100 - targetPercent || 1e-9)
  return times <= 0 ? 0 : bounds.filter((bound) => times > bound).length
}
