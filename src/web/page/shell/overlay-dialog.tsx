import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { closeOverlay } from './overlay.ts'

/** A dialog over the page. Escape and a click beside it close it; the focus then returns to where it was. */
export function OverlayDialog(props: { label: string; class: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`overlay ${props.class}`}
      aria-label={props.label}
      onClose={({ currentTarget }) => {
        if (currentTarget.isConnected) closeOverlay() // else another one lies there already
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) closeOverlay()
      }}
    >
      {props.children}
    </dialog>
  )
}
