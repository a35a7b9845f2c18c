import { useMemo, useState } from 'preact/hooks'
import type { Series, Slo } from '../../../api/types.ts'
import { Figure } from '../../../charts/figure.tsx'
import { Plot, type Zoom } from '../../../charts/plot.tsx'
import { formatMoment, formatPercent, formatSli, formatTarget } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { nowMs } from '../../../ui/time.tsx'

type Props = { slo: Slo; series: Series; explore: string; onZoom: Zoom }

/** Chart of the SLI in steps with its target, and a strip of the coverage. */
export function SliChart({ slo, series, explore, onZoom }: Props) {
  const [isWhole, setWhole] = useState(false)
  const drawn = useMemo(() => {
    const values = series.points.map(({ sli }) => sli)
    const known = values.filter((value) => value !== null)
    const around = Math.max(100 - slo.target, slo.target - Math.min(...known, slo.target)) * 1.1
    return {
      times: [...series.points.map(({ timestamp }) => Date.parse(timestamp) / 1000), endOf(series)],
      lines: [{ label: 'SLI', values: [...values, values.at(-1) ?? null], color: '--accent', isStepped: true }],
      range: (isWhole ? [0, 100] : [Math.max(0, slo.target - around), 100 + (100 - slo.target) * 0.1]) as [
        number,
        number,
      ],
      levels: [{ value: slo.target, label: `target ${formatTarget(slo.target)}\u2009%`, color: '--ink2' }],
    }
  }, [series, isWhole, slo.target])
  const decimals = decimalsFor(drawn.range[1] - drawn.range[0])
  const known = series.points.filter(({ sli }) => sli !== null)
  const worst = known.reduce((min, point) => ((point.sli ?? 101) < (min?.sli ?? 101) ? point : min), known[0])
  return (
    <Figure
      title="SLI"
      name={`sli-${slo.id}`}
      explore={explore}
      sentence={
        worst
          ? `The worst step was ${formatSli(worst.sli ?? 0, slo.target)} %, ${formatMoment(Date.parse(worst.timestamp), nowMs.peek())}; ${known.length} of ${series.points.length} steps were measured.`
          : 'Nothing was measured in this range.'
      }
      figures={() => ({
        columns: ['Time', 'SLI, %', 'Good', 'Total', 'Coverage'],
        rows: series.points.map(({ timestamp, sli, good, total, coverage }) => [timestamp, sli, good, total, coverage]),
      })}
      tools={
        <Button small kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Around the target' : '0 to 100'}
        </Button>
      }
    >
      <Plot
        {...drawn}
        heightPx={200}
        format={(value) => formatPercent(value, decimals)}
        read={(value) => `${formatSli(value, slo.target)}\u2009%`}
        onZoom={onZoom}
        label="SLI over time"
      />
      <Coverage series={series} />
    </Figure>
  )
}

/** End of the last step in seconds; now, if that step is still running. */
function endOf({ points, step_seconds }: Series): number {
  return Math.min(Date.parse(points.at(-1)?.timestamp ?? '') / 1000 + step_seconds, nowMs.peek() / 1000)
}

/** Decimals needed to distinguish the grid lines of a range. */
function decimalsFor(span: number): number {
  return [20, 2, 0.2, 0.02].filter((min) => span < min).length
}

/** Strip that shows at which times there was data. */
function Coverage({ series: { points } }: { series: Series }) {
  const path = points.map(({ coverage }, at) => (coverage > 0 ? `M${at} 0h1v6h-1z` : '')).join('')
  return (
    <svg
      class="coverage"
      viewBox={`0 0 ${Math.max(1, points.length)} 6`}
      preserveAspectRatio="none"
      role="img"
      aria-label="When there was data"
    >
      <path d={path} />
    </svg>
  )
}
