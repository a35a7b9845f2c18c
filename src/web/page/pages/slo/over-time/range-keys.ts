import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Slo } from '../../../api/types.ts'
import type { Zoom } from '../../../charts/plot.tsx'
import { onKeys } from '../../../ui/shortcuts.ts'
import { nowMs } from '../../../ui/time.tsx'
import { urlWith } from '../../../address/url.ts'
import { type Range, rangesOf, shiftedRange } from './range.ts'

/** Keyboard shortcuts: `[` and `]` move to the time before and after the range, `t` selects the next range. */
export function useRangeKeys(slo: Slo, range: Range, onZoom: Zoom): void {
  const { url, route } = useLocation()
  useEffect(() => {
    const shift = (by: 1 | -1) => () => {
      const shifted = shiftedRange(range, by, nowMs.peek())
      if (shifted) onZoom(shifted)
    }
    const next = () => {
      const names = rangesOf(slo.time_window)
      const name = names[(names.indexOf(range.name) + 1) % names.length] ?? slo.time_window
      route(urlWith(url, { range: name === slo.time_window ? null : name, from: null, to: null }))
    }
    return onKeys({ '[': shift(-1), ']': shift(1), t: next })
  })
}
