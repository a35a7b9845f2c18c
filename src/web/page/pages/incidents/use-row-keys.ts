import { useLayoutEffect } from 'preact/hooks'
import { whyNot } from '../../api/rights.ts'
import { onKeys } from '../../ui/shortcuts.ts'
import { openSilence } from '../../silence/request.ts'

/**
 * Keyboard shortcuts: `j` and `k` move between incidents or alerts, `a` acknowledges the one that has the focus, `s` silences its
 * SLO. Without a focused row, `a` takes the first button to acknowledge of the page, and `s` the SLO `sloId`.
 */
export function useRowKeys(sloId?: number): void {
  useLayoutEffect(() => {
    const rows = () => [...document.querySelectorAll<HTMLElement>('[data-alert]')]
    const here = () => document.activeElement?.closest<HTMLElement>('[data-alert]')
    const step = (by: 1 | -1) => () => {
      const all = rows()
      const row = here()
      const next = row ? all[all.indexOf(row) + by] : all[by > 0 ? 0 : all.length - 1]
      next?.querySelector<HTMLElement>('a')?.focus()
    }
    return onKeys({
      j: step(1),
      k: step(-1),
      a: () => (here() ?? document).querySelector<HTMLElement>('[data-acknowledge]')?.click(),
      s: () => {
        const ofRow = here()?.dataset['slo']
        if (!whyNot('edit')) openSilence({ sloId: ofRow === undefined ? sloId : Number(ofRow) })
      },
    })
  }, [sloId])
}
