import { Shape } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import { type ShownState, shownState, startText, type Stated, stateLine, states } from './states.ts'

const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }
const styles = {
  line,
  dashed: { ...line, 'stroke-dasharray': '2.6 2.3' },
  fill: { fill: 'currentColor' },
  cut: { ...line, stroke: 'var(--on-crit)', 'stroke-width': 1.8 },
}

/** Shape of a state in its colour, hidden from screen readers. */
export function StateShape({ state, size = 16 }: { state: ShownState; size?: number }) {
  const { tone, shape } = states[state]
  return (
    <Shape tone={tone} size={size}>
      {shape.map(({ path, drawn }) => (
        <path key={path} d={path} stroke-linecap="round" stroke-linejoin="round" {...styles[drawn]} />
      ))}
    </Shape>
  )
}

/**
 * A state with its shape, its word, and the detail below it. Its times change without drawing it again. `hint`: what more is known,
 * as a tooltip.
 */
export function State({ of, hint = '' }: { of: Stated; hint?: string }) {
  const { state, state_since, state_reason, burn_rate_now, was, tierRate, checks } = of
  const parts = [state, state_since, state_reason, burn_rate_now, was, tierRate, checks]
  const shown = shownState(of)
  const word = useNow((nowMs) => states[shown].words(of, nowMs).word, parts)
  const detail = useNow((nowMs) => states[shown].words(of, nowMs).detail, parts)
  const since = state_since === null ? '' : startText(Date.parse(state_since))
  const title = useNow(
    (nowMs) => [stateLine(of, nowMs), hint, since].filter(Boolean).join('. '),
    [...parts, hint, since],
  )
  return (
    <>
      <StateShape state={shown} />
      <div title={title}>
        <div class={`state-word ${states[shown].tone}`}>{word}</div>
        <div class="context">{detail}</div>
      </div>
    </>
  )
}
