import { useLocation } from 'preact-iso/router'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'

/** Focuses the start of the new page after each navigation: its heading, or the field to fill in. */
export function useFocusOnPage(): void {
  const { path } = useLocation()
  const previousHeading = useMemo(() => document.querySelector('main h1'), [path])
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    if (!isFirst.current) return focusStart(previousHeading)
    isFirst.current = false
    return undefined
  }, [path])
}

/**
 * Focuses the start of the page that replaces the one with `previousHeading`, also if that page is still loading. It stops when the user
 * presses a key or the pointer, or when anything else gets the focus, for example by a screen reader.
 */
function focusStart(previousHeading: Element | null): () => void {
  const find = () =>
    document.querySelector<HTMLElement>('main [autofocus]') ?? document.querySelector<HTMLElement>('main h1')
  const look = () => {
    const start = find()
    if (!start || start === previousHeading || start === document.activeElement) return
    if (start.tagName === 'H1') start.tabIndex = -1
    start.focus({ preventScroll: true })
  }
  const observer = new MutationObserver(look)
  const stop = () => {
    observer.disconnect()
    for (const event of ['keydown', 'pointerdown']) removeEventListener(event, stop, true)
    removeEventListener('focusin', onFocus, true)
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (target !== find()) stop()
  }
  for (const event of ['keydown', 'pointerdown']) addEventListener(event, stop, true)
  addEventListener('focusin', onFocus, true)
  observer.observe(document.body, { childList: true, subtree: true })
  look()
  return stop
}
