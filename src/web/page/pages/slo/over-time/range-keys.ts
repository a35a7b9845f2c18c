import { useLayoutEffect } from 'preact/hooks'
import type { Slo } from '../../../api/types.ts'
import type { Zoom } from '../../../charts/plot-types.ts'
import { onKeys } from '../../../ui/shortcuts.ts'
import { nowMs } from '../../../ui/time.tsx'
import { useAddress } from '../../../address/fields.ts'
import { type Range, rangeFields, rangesOf, shiftedRange } from './range.ts'

/** `usual`: name of the range that an address without one has. */
type Props = { slo: Slo; usual: string; range: Range; onZoom: Zoom }

/** Keyboard shortcuts: `[` and `]` move to the time before and after the range, `t` selects the next range. */
export function useRangeKeys({ slo, usual, range, onZoom }: Props): void {
  const { go } = useAddress(rangeFields)
  useLayoutEffect(() => {
    const shift = (by: 1 | -1) => () => {
      const shifted = shiftedRange(range, by, nowMs.peek())
      if (shifted) onZoom(shifted)
    }
    const next = () => {
      const names = rangesOf(slo.time_window)
      const name = names[(names.indexOf(range.name) + 1) % names.length] ?? slo.time_window
      go({ range: name === usual ? '' : name, from: null, to: null })
    }
    return onKeys({ '[': shift(-1), ']': shift(1), t: next })
  })
}
