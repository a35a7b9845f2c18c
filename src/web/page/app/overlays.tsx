import type { ComponentType } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { link } from '../address/base.ts'
import { entryOf, listed } from '../address/routes.ts'
import { loadCode, loadCodeAndStyle } from '../ui/lazy.ts'
import { closeSilence, silenceRequest } from '../silence/request.ts'
import { Icon } from '../ui/icon.tsx'
import { closeOverlay, overlay } from './overlay.ts'
import { onKeys } from '../ui/shortcuts.ts'

const parts = {
  palette: async (): Promise<ComponentType> => (await import('./palette/palette.tsx')).Palette,
  keys: async (): Promise<ComponentType> => (await import('./keys.tsx')).Keys,
  silence: () =>
    loadCodeAndStyle(async (): Promise<ComponentType> => (await import('../silence/silence-dialog.tsx')).SilenceDialog),
}

/** The open overlay, which closes with its page, and the keyboard shortcuts that work everywhere. */
export function Overlays() {
  const { route, url } = useLocation()
  useEffect(
    () => () => {
      closeOverlay()
      closeSilence()
    },
    [url],
  )
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault() // keeps the browser from opening its own search
      overlay.value = overlay.peek() === 'palette' ? null : 'palette'
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  useLayoutEffect(
    () =>
      onKeys({
        '?': () => (overlay.value = 'keys'),
        '/': () => {
          const filter = document.querySelector<HTMLElement>('[data-filter]')
          if (filter) filter.focus()
          else overlay.value = 'palette'
        },
        ...Object.fromEntries(
          listed.flatMap((section) => ('keys' in section ? [[section.keys, () => route(link(entryOf(section)))]] : [])),
        ),
        'g a': () => route(link('/incidents')), // an older shortcut, for alerts
      }),
    [route],
  )
  const shown = overlay.value ?? (silenceRequest.value && 'silence')
  return shown && <Part key={shown} name={shown} />
}

/** An overlay whose code is loaded when it is first shown. */
function Part({ name }: { name: keyof typeof parts }) {
  const [Loaded, setLoaded] = useState<ComponentType | null>(null)
  useLayoutEffect(() => {
    void loadCode(parts[name]).then((part) => setLoaded(() => part))
  }, [name])
  return Loaded && <Loaded />
}

/** Button that looks like a search field and opens the palette. */
export function PaletteButton() {
  return (
    <button type="button" class="jump" aria-haspopup="dialog" onClick={() => (overlay.value = 'palette')}>
      <Icon name="search" />
      <span class="jump-text">Search or jump…</span>
      <kbd>Ctrl K</kbd>
    </button>
  )
}
