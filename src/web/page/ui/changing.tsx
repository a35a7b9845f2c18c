import { useRef } from 'preact/hooks'

/** A text that fades in once whenever it changes. */
export function Changing({ text }: { text: string }) {
  const first = useRef(text)
  if (first.current !== text) first.current = '' // makes every later text count as a change
  return (
    <span key={text} class={first.current === text ? undefined : 'changed'}>
      {text}
    </span>
  )
}
