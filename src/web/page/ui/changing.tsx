import { useRef } from 'preact/hooks'

/** A text that fades in once whenever it changes. */
export function Changing({ text }: { text: string }) {
  const shown = useRef({ text, changes: 0 })
  if (shown.current.text !== text) shown.current = { text, changes: shown.current.changes + 1 }
  const { changes } = shown.current
  // Another class name starts the animation again, and costs less than another element.
  return <span class={changes === 0 ? undefined : changes % 2 === 0 ? 'changed again' : 'changed'}>{text}</span>
}
