import type { Tone } from '../ui/status.tsx'

/**
 * Remaining budget from -100 to 100 percent, with the zero inside the bar: remaining budget extends to the right, overspent
 * budget to the left. The zeros of bars in a column are aligned; a bar that `isAlone` reserves no room for overspending unless
 * it is overspent. The number is next to the bar, so the bar is hidden from screen readers.
 */
export function BudgetBar({ percent, isAlone = false }: { percent: number | null; isAlone?: boolean }) {
  const zero = 30 // percent of the width: overspending is rare, and is cut off at 100
  const shown = percent === null ? 0 : Math.max(-100, Math.min(100, percent))
  const width = shown >= 0 ? ((100 - zero) * shown) / 100 : (zero * -shown) / 100
  const left = isAlone && shown >= 0 ? zero : 0
  return (
    <svg class="budget-bar" viewBox={`${left} 0 ${100 - left} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" x={zero} y="2" width={100 - zero} height="4" />
      <rect
        class={shown < 0 ? 'over' : shown < 25 ? 'low' : 'left'}
        x={shown < 0 ? zero - width : zero}
        y="1"
        width={width}
        height="6"
      />
      <rect class="zero" x={zero - 0.5} y="0" width="1" height="8" />
    </svg>
  )
}

/** Bar of a part of the budget, full from 100 percent on, in the colour of the state. The number is next to it. */
export function ShareBar({ percent, tone }: { percent: number; tone: Tone }) {
  return (
    <svg class="budget-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" y="1" width="100" height="6" />
      <rect class={tone} y="1" width={Math.max(0, Math.min(100, percent))} height="6" fill="currentColor" />
    </svg>
  )
}
