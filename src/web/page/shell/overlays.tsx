import { ErrorBoundary } from 'preact-iso/lazy'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { link } from '../base.ts'
import { lazy } from '../lazy.ts'
import { Icon } from '../ui/icon.tsx'
import { overlay } from './overlay.ts'
import { onKeys } from './shortcuts.ts'

const Palette = lazy(async () => (await import('./palette.tsx')).Palette)
const Keys = lazy(async () => (await import('./keys.tsx')).Keys)

/** What lies over the page, and the keys that work everywhere. */
export function Overlays() {
  const { route } = useLocation()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault() // the browser would go to its own search
      overlay.value = overlay.peek() === 'palette' ? null : 'palette'
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  useEffect(
    () =>
      onKeys({
        '?': () => (overlay.value = 'keys'),
        '/': () => {
          const filter = document.querySelector<HTMLElement>('[data-filter]')
          if (filter) filter.focus()
          else overlay.value = 'palette'
        },
        'g o': () => route(link('/')),
      }),
    [route],
  )
  return (
    <ErrorBoundary>
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'keys' && <Keys />}
    </ErrorBoundary>
  )
}

/** Looks like a field, and opens the palette. */
export function PaletteButton() {
  return (
    <button type="button" class="jump" aria-haspopup="dialog" onClick={() => (overlay.value = 'palette')}>
      <Icon name="search" />
      <span class="jump-text">Search or jump…</span>
      <kbd>Ctrl K</kbd>
    </button>
  )
}
