import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { whyNot } from '../../api/rights.ts'
import type { OverviewSlo } from '../../api/types.ts'
import { openSilence } from '../../silence/request.ts'
import { shownState } from '../../slo/states.ts'
import { MenuItems } from '../../ui/menu.tsx'
import { loadCode } from '../../ui/lazy.ts'
import { place } from '../../ui/popover.tsx'
import { toggleSelected } from './selection/selected.ts'
import { moreForLabel } from './words.ts'

const menuId = 'row-menu'

/** Ellipsis of Lucide. Rows have it as a path: each icon of the sprite is laid out and painted again in a later frame. */
const dots = [12, 19, 5].map((x) => `M${x} 11a1 1 0 1 0 0 2 1 1 0 1 0 0-2Z`).join('')

/** Id of the SLO whose menu is open, or was last; its button. */
const opened = signal<{ id: number; button: HTMLElement } | null>(null)

/** Button of the menu of a row. All rows share one menu: a popover for each would cost more than the row. */
export function RowMenuButton({ slo: { id, name } }: { slo: OverviewSlo }) {
  return (
    <button
      type="button"
      class="button quiet small"
      data-icon-only
      aria-label={moreForLabel(name)}
      aria-haspopup="menu"
      aria-expanded="false"
      title="More"
      popovertarget={menuId}
      onClick={(event) => (opened.value = { id, button: event.currentTarget })}
    >
      <svg class="icon" viewBox="0 0 24 24" width={16} height={16} aria-hidden="true">
        <path d={dots} />
      </svg>
    </button>
  )
}

/** Menu of the row whose button was pressed. */
export function RowMenu({ slos }: { slos: readonly OverviewSlo[] }) {
  const { route } = useLocation()
  const floating = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = floating.current
    const onToggle = (event: Event) => {
      const isOpen = (event as ToggleEvent).newState === 'open'
      const button = opened.peek()?.button
      button?.setAttribute('aria-expanded', String(isOpen))
      if (!element || !isOpen) return
      if (button) place(element, button)
      element.querySelector('button')?.focus()
    }
    element?.addEventListener('toggle', onToggle)
    return () => element?.removeEventListener('toggle', onToggle)
  }, [])
  const slo = slos.find(({ id }) => id === opened.value?.id)
  const unavailable = whyNot('edit')
  const isPaused = slo !== undefined && shownState(slo) === 'paused'
  const change = async (action: 'pause' | 'delete') => {
    const { deleteAll, setPaused } = await loadCode(() => import('../../slo/bulk-change.ts'))
    if (slo) await (action === 'delete' ? deleteAll([slo]) : setPaused([slo], !isPaused))
  }
  return (
    <div ref={floating} id={menuId} popover="auto" role="menu" aria-label={slo?.name} class="popover menu">
      {slo && (
        <MenuItems
          choices={[
            {
              label: 'Edit',
              icon: 'pencil',
              unavailable,
              onChoose: () => route(link(`/slos/${slo.id}/edit`)),
            },
            {
              label: isPaused ? 'Resume' : 'Pause',
              icon: isPaused ? 'play' : 'pause',
              unavailable,
              onChoose: () => void change('pause'),
            },
            { label: 'Silence…', icon: 'bell-off', unavailable, onChoose: () => openSilence({ sloId: slo.id }) },
            { label: 'Select', icon: 'list-checks', onChoose: () => toggleSelected(slo.id) },
            { label: 'Delete', icon: 'trash-2', unavailable, onChoose: () => void change('delete') },
          ]}
        />
      )}
    </div>
  )
}
