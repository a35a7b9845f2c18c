import { useMemo } from 'preact/hooks'
import { formatDuration, formatMoment, formatSli } from '../../../format.ts'
import { capitalized } from '../../../incidents/alert-words.ts'
import { hasLine } from '../../../slo/budget-chart-lines.ts'
import { BudgetOverTime } from '../../../slo/budget-over-time.tsx'
import { lowestWords } from '../../../slo/budget-words.ts'
import { SliOverTime as SliChart, worstOf } from '../../../slo/sli-over-time.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { stepsOfWindow } from '../../../../../slos/arithmetic/window-steps.ts'
import { burnDown } from '../../../what-if/burn-down.ts'
import type { KnownWindow, WhatIf } from '../../../what-if/what-if.ts'
import { worstStepSentence } from './words.ts'

/** Parts of a budget that a preview does not draw. */
const undrawn = { calendar: [], forecast: { exhausts_at: null }, target: 100, events: null }

/** Chart of the remaining budget with a target. */
export function BurnDown({ known, result }: { known: KnownWindow; result: WhatIf }) {
  const budget = useMemo(
    () => ({
      burn_down: burnDown(known, result),
      time_window: known.measured.window,
      window_seconds: known.measured.wholeSeconds,
      period: null,
      ...undrawn,
    }),
    [known, result],
  )
  const lowest = Math.min(...budget.burn_down.map(({ remaining_percent: left }) => left ?? Infinity))
  const sentence = !Number.isFinite(lowest)
    ? 'Nothing was measured in the window.'
    : hasLine(budget.burn_down)
      ? `${capitalized(lowestWords(lowest))}.`
      : 'The line begins with the second minute of data.'
  return <BudgetOverTime title="Budget left" name="preview-budget" sentence={sentence} budget={budget} heightPx={160} />
}

/** Chart of the SLI of each step, and the target. */
export function SliOverTime({ known, target }: { known: KnownWindow; target: number }) {
  const { seconds, events } = known.measured
  const points = useMemo(() => {
    const { steps } = stepsOfWindow(known.sums, seconds, known.sums.countsEvents ? events : null)
    return steps.map((step) => ({ ...step, timestamp: new Date(step.startSeconds * 1000).toISOString() }))
  }, [known])
  const worst = worstOf(points)
  if (!worst) return null // less than half of each step was measured
  const step = formatDuration(seconds / points.length)
  const moment = formatMoment(Date.parse(worst.timestamp), nowMs.peek())
  return (
    <SliChart
      title="SLI and target"
      name="preview-sli"
      sentence={worstStepSentence(step, formatSli(worst.sli ?? 0, target), moment)}
      points={points}
      endSeconds={known.sums.endSeconds}
      target={target}
      heightPx={120}
    />
  )
}
