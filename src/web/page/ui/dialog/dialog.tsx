import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A modal dialog. Escape and a click outside close it; the focus then returns to where it was. */
export function Dialog(props: { label: string; class: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    const first = (selector: string) => element?.querySelector<HTMLElement>(selector)
    const start = first('[autofocus]') ?? first('.fields :is(input, select, textarea)')
    start?.focus() // otherwise the browser focuses the close button
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`overlay ${props.class}`}
      aria-label={props.label}
      onClose={({ currentTarget }) => {
        if (currentTarget.isConnected) props.onClose() // not after an unmount, when another may be open
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) props.onClose()
      }}
    >
      {props.children}
    </dialog>
  )
}
