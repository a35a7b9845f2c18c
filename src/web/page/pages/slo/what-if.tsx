import { useState } from 'preact/hooks'
import type { Budget, Slo } from '../../api/types.ts'
import { formatBudget, formatCount, formatMoment, formatTarget, formatWindow } from '../../format.ts'
import { nowMs } from '../../ui/time.tsx'
import { goneSince, leftWith } from './what-if-left.ts'

const targets = [90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 99.999]

/** What would be left with another target, from what was measured: nothing is asked for it. */
export function WhatIf({ slo, budget }: { slo: Slo; budget: Budget }) {
  const all = [...new Set([...targets, slo.target])].toSorted((a, b) => a - b)
  const [at, setAt] = useState(all.indexOf(slo.target))
  const target = all[at] ?? slo.target
  if (budget.sli === null) return null
  const left = leftWith(budget.sli, target)
  return (
    <details class="card">
      <summary>What if the target were another</summary>
      <label class="what-if">
        <span>Target {formatTarget(target)} %</span>
        <input
          type="range"
          min={0}
          max={all.length - 1}
          value={at}
          onInput={(event) => setAt(event.currentTarget.valueAsNumber)}
        />
        <output>{left === null ? 'A target of 100 % leaves no budget.' : sentenceOf(budget, left, target)}</output>
      </label>
    </details>
  )
}

/** What would be left, since when nothing would be, and how much might fail. */
function sentenceOf({ time_window, burn_down, target: own, events }: Budget, left: number, target: number): string {
  const window = formatWindow(time_window)
  const since = left > 0 ? null : goneSince(burn_down, own, target)
  const gone = since === null ? '' : `, used up since ${formatMoment(since, nowMs.value)}`
  const allowed = events && (events.total * (100 - target)) / 100
  const counts =
    events === null || allowed === null
      ? ''
      : ` ${formatCount(Math.floor(allowed))} might fail; ${formatCount(events.bad)} did.`
  return `${formatBudget(left)} of the budget of ${window} would be left${gone}.${counts}`
}
