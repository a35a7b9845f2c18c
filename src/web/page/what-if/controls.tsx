import { useId, useState } from 'preact/hooks'
import { formatTarget, formatWindow } from '../format.ts'
import { nearestStop, readTarget, sliderTargets } from './targets.ts'
import { usualWindows } from '../../../slos/arithmetic/window-names.ts'
import { nominalSeconds, type SloWindow } from '../../../slos/arithmetic/windows.ts'

/** Target, in percent, and window that are tried. */
export type Tried = { target: number; window: SloWindow }

type Props = { own: SloWindow; value: Tried; onChange: (value: Tried) => void }

/** Sliders for a target and a window, one of the usual ones or the SLO's own, and a field for any target. */
export function WhatIfControls({ own, value, onChange }: Props) {
  const { target, window } = value
  const id = useId()
  const stops = stopsWith(own)
  // the text is shown as it was typed, while the target is the one that was read from it (`of`)
  const [typed, setTyped] = useState({ text: String(target), of: target })
  const text = typed.of === target ? typed.text : String(target)
  const problem = readTarget(text) === null ? 'A target is above 0 and at most 100.' : undefined
  return (
    <div class="what-if-controls">
      <label for={`${id}-target`}>Target</label>
      <input
        type="range"
        aria-label="What-if target"
        aria-valuetext={`${formatTarget(target)} %`}
        min={0}
        max={sliderTargets.length - 1}
        value={nearestStop(target)}
        onInput={({ currentTarget }) => {
          const stop = sliderTargets[currentTarget.valueAsNumber]
          if (stop !== undefined) onChange({ ...value, target: stop })
        }}
      />
      <span class="what-if-value">
        <input
          id={`${id}-target`}
          class="input"
          inputMode="decimal"
          autocomplete="off"
          value={text}
          {...(problem && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` })}
          onInput={({ currentTarget }) => {
            const read = readTarget(currentTarget.value) ?? target
            setTyped({ text: currentTarget.value, of: read })
            if (read !== target) onChange({ ...value, target: read })
          }}
        />{' '}
        <span class="unit">%</span>
      </span>
      <label for={`${id}-window`}>Window</label>
      <input
        id={`${id}-window`}
        type="range"
        aria-valuetext={formatWindow(window)}
        min={0}
        max={stops.length - 1}
        value={stops.indexOf(window)}
        onInput={({ currentTarget }) => {
          const stop = stops[currentTarget.valueAsNumber]
          if (stop) onChange({ ...value, window: stop })
        }}
      />
      <span class="what-if-value number">{formatWindow(window)}</span>
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** The usual windows and the own one, the shortest first. The own one replaces a usual one of the same length. */
function stopsWith(own: SloWindow): SloWindow[] {
  const others = usualWindows.filter((usual) => nominalSeconds(usual) !== nominalSeconds(own))
  return [...others, own].toSorted((a, b) => nominalSeconds(a) - nominalSeconds(b))
}
