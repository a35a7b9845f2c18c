import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { FigureProps } from '../charts/figure.tsx'
import type { PlotProps } from '../charts/plot-types.ts'
import type { Columns } from '../charts/table-data.ts'
import { TimeChart } from '../charts/time-chart.tsx'
import { formatPercent, formatSli } from '../format.ts'
import { targetLineLabel } from './budget-words.ts'

/** Step of an SLI in percent, from its start. `good`, `total`: events, or seconds; `coverage`: measured share of the step, 0 to 1. */
export type SliPoint = Record<'sli' | 'good' | 'total', number | null> & { timestamp: string; coverage: number }

type Props = Pick<FigureProps<SliPoint>, 'title' | 'name' | 'sentence' | 'explore' | 'tools'> &
  Pick<PlotProps, 'heightPx' | 'onZoom'> & {
    points: readonly SliPoint[]
    /** End of the last step. */
    endSeconds: number
    target: number
    /** True: the axis goes from 0 to 100 %; otherwise it shows what lies around the target. */
    isWhole?: boolean
    children?: ComponentChildren
  }

const columns: Columns<SliPoint> = [
  ['Time', ({ timestamp }) => timestamp],
  ['SLI, %', ({ sli }) => sli],
  ['Good', ({ good }) => good],
  ['Total', ({ total }) => total],
  ['Coverage', ({ coverage }) => coverage],
]

/** Chart of the SLI of each step, and the target. */
export function SliOverTime({ points, endSeconds, target, isWhole = false, ...props }: Props) {
  const { range, ...drawn } = useMemo(() => {
    const values = points.map(({ sli }) => sli)
    const lowest = Math.min(target, ...values.map((value) => value ?? 100))
    const halfSpan = Math.max(100 - target, target - lowest, minSpan) * 1.1
    // the last value stands twice, so that its step is drawn up to its end
    return {
      times: [...points.map(({ timestamp }) => Date.parse(timestamp) / 1000), endSeconds],
      lines: [{ label: 'SLI', values: [...values, values.at(-1) ?? null], color: '--accent', isStepped: true }],
      range: (isWhole ? [0, 100] : [Math.max(0, target - halfSpan), 100 + (100 - target) * 0.1]) as [number, number],
      levels: [{ value: target, label: targetLineLabel(target), color: '--ink2' }],
    }
  }, [points, isWhole, target])
  const decimals = [20, 2, 0.2, 0.02].filter((min) => range[1] - range[0] < min).length // so that the labels of the grid lines differ
  return (
    <TimeChart
      {...props}
      {...drawn}
      range={range}
      rows={points}
      columns={columns}
      format={(value) => formatPercent(value, decimals)}
      read={(value) => `${formatSli(value, target)}\u2009%`}
      label="SLI over time"
    />
  )
}

const minSpan = 1e-4 // percent; a target of 100 allows no failures

/** Step with the lowest SLI, the first of several; undefined: none was measured. */
export function worstOf(points: readonly SliPoint[]): SliPoint | undefined {
  return points.reduce<SliPoint | undefined>(
    (worst, point) => (point.sli !== null && point.sli < (worst?.sli ?? Infinity) ? point : worst),
    undefined,
  )
}
