import { useEffect } from 'preact/hooks'
import { onKeys } from '../../ui/shortcuts.ts'
import { openSilence } from '../../silence/request.ts'
import { me } from '../../api/session.ts'

/** Keyboard shortcuts: `j` and `k` move between alerts, `a` acknowledges the focused alert, `s` silences its SLO. */
export function useAlertKeys(): void {
  useEffect(() => {
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
        const sloId = here()?.dataset['slo']
        if (me.peek()?.role !== 'viewer') openSilence(sloId === undefined ? {} : { sloId: Number(sloId) })
      },
    })
  }, [])
}
