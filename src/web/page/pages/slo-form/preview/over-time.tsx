import { useMemo } from 'preact/hooks'
import { windowSeconds } from '../../../slo/burn.ts'
import { Figure } from '../../../charts/figure.tsx'
import { Plot } from '../../../charts/plot.tsx'
import { formatDuration, formatMoment, formatPercent, formatSli, formatTarget } from '../../../format.ts'
import { capitalized } from '../../../incidents/alert-words.ts'
import { leftTick, leftWords, lowestWords } from '../../../slo/budget-words.ts'
import { nowMs } from '../../../ui/time.tsx'
import { stepsOfWindow } from '../../../../../slos/arithmetic/window-steps.ts'
import { burnDown } from '../../../what-if/burn-down.ts'
import type { KnownWindow, WhatIf } from '../../../what-if/what-if.ts'
import { burnDownLines, hasLine } from '../../../slo/budget-chart-lines.ts'

const zeroLevel = [{ value: 0, label: '', color: '--ink3' }]
const noReturns = { calendar: [], forecast: { exhausts_at: null }, target: 100, events: null }

/** Chart of the remaining budget with a target. */
export function BurnDown({ known, would }: { known: KnownWindow; would: WhatIf }) {
  const { window } = known.measured
  const points = useMemo(() => burnDown(known, would), [known, would])
  const drawn = useMemo(
    () => burnDownLines({ burn_down: points, time_window: window, ...noReturns }, nowMs.peek()),
    [points],
  )
  const lowest = Math.min(...points.map(({ remaining_percent: left }) => left ?? Infinity))
  const isDrawn = hasLine(points)
  return (
    <Figure
      title="Budget left"
      name="preview-budget"
      sentence={
        !Number.isFinite(lowest)
          ? 'Nothing was measured in the window.'
          : isDrawn
            ? `${capitalized(lowestWords(lowest))}.`
            : 'The line begins with the second minute of data.'
      }
      figures={() => ({
        columns: ['Time', 'Left, %', 'Ideal, %', 'Coverage'],
        rows: points.map((point) => [point.timestamp, point.remaining_percent, point.ideal_percent, point.coverage]),
      })}
    >
      {isDrawn && (
        <Plot
          {...drawn}
          heightPx={160}
          format={leftTick}
          read={leftWords}
          levels={zeroLevel}
          label="Budget left over time"
        />
      )}
    </Figure>
  )
}

/** Chart of the SLI of each step, and the target. */
export function SliOverTime({ known, target }: { known: KnownWindow; target: number }) {
  const { window, events } = known.measured
  const points = useMemo(
    () => stepsOfWindow(known.sums, windowSeconds(window), known.sums.countsEvents ? events : null).steps,
    [known],
  )
  const drawn = useMemo(() => {
    const values = points.map(({ sli }) => sli)
    const lowest = Math.min(target, ...values.map((value) => value ?? 100))
    const span = Math.max(100 - target, target - lowest, 1e-4) * 1.1
    return {
      times: [...points.map(({ startSeconds }) => startSeconds), known.sums.endSeconds],
      lines: [{ label: 'SLI', values: [...values, values.at(-1) ?? null], color: '--accent', isStepped: true }],
      range: [Math.max(0, target - span), Math.min(100, target + span) + (100 - target) * 0.1] as [number, number],
      levels: [{ value: target, label: `target ${formatTarget(target)}\u2009%`, color: '--ink2' }],
    }
  }, [points, target])
  const measured = points.filter(({ sli }) => sli !== null)
  const worst = measured.reduce((min, point) => ((point.sli ?? 0) < (min?.sli ?? 101) ? point : min), measured[0])
  if (!worst) return null // less than half of each step was measured
  const stepSeconds = windowSeconds(window) / points.length
  const decimals = [20, 2, 0.2, 0.02].filter((min) => drawn.range[1] - drawn.range[0] < min).length
  return (
    <Figure
      title="SLI and target"
      name="preview-sli"
      sentence={`The worst ${formatDuration(stepSeconds)} reached ${formatSli(worst.sli ?? 0, target)} %, ${formatMoment(worst.startSeconds * 1000, nowMs.peek())}.`}
      figures={() => ({
        columns: ['Time', 'SLI, %', 'Good', 'Total', 'Coverage'],
        rows: points.map(({ startSeconds, sli, good, total, coverage }) => [
          new Date(startSeconds * 1000).toISOString(),
          sli,
          good,
          total,
          coverage,
        ]),
      })}
    >
      <Plot
        {...drawn}
        heightPx={120}
        format={(value) => formatPercent(value, decimals)}
        read={(value) => `${formatSli(value, target)}\u2009%`}
        label="SLI over time"
      />
    </Figure>
  )
}
