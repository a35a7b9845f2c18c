import { formatBudget } from '../../format.ts'
import { Changing } from './changing.tsx'

/**
 * What is left of a budget, from -100 to 100 percent around a zero inside of the bar: what remains grows to the right, what
 * is overspent to the left. Bars below each other have their zeros below each other; one that `isAlone` keeps no room for what is
 * not overspent. The number stands beside it, so the bar is hidden from readers.
 */
export function BudgetBar({ percent, isAlone = false }: { percent: number | null; isAlone?: boolean }) {
  const zero = 30 // percent of the width: overspending is rarer, and is cut at 100
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

/** The same with its number. */
export function Budget({ percent }: { percent: number | null }) {
  return (
    <div class="budget">
      <BudgetBar percent={percent} />
      <span class={`number${percent !== null && percent < 0 ? ' crit-text' : ''}`}>
        <Changing text={percent === null ? '–' : formatBudget(percent)} />
      </span>
    </div>
  )
}
