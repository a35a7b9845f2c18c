import { useRef } from 'preact/hooks'

/** A figure that fades in once whenever it is another than before. */
export function Changing({ text }: { text: string }) {
  const first = useRef(text)
  if (first.current !== text) first.current = '' // from then on each is a change
  return (
    <span key={text} class={first.current === text ? undefined : 'changed'}>
      {text}
    </span>
  )
}
