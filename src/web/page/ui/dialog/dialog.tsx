import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A dialog over the page. Escape and a click beside it close it; the focus then returns to where it was. */
export function Dialog(props: { label: string; class: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    const first = (selector: string) => element?.querySelector<HTMLElement>(selector)
    const start = first('[autofocus]') ?? first('.fields :is(input, select, textarea)')
    start?.focus() // else the browser takes the button that closes it
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`overlay ${props.class}`}
      aria-label={props.label}
      onClose={({ currentTarget }) => {
        if (currentTarget.isConnected) props.onClose() // else another one lies there already
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) props.onClose()
      }}
    >
      {props.children}
    </dialog>
  )
}
