import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { words } from '../words.ts'

type Trigger = { id: string; popovertarget: string; 'aria-expanded': 'false'; 'aria-haspopup'?: 'menu' | 'dialog' }

/** A popover next to its button; the browser opens and closes it, also with Escape. */
export function Popover(props: {
  trigger: (attributes: Trigger) => ComponentChildren
  children: ComponentChildren
  class?: string
  role?: 'menu' | 'dialog'
  label?: string
  onToggle?: (isOpen: boolean) => void
}) {
  const id = useId()
  const floating = useRef<HTMLDivElement>(null)
  const latestOnToggle = useRef(props.onToggle)
  latestOnToggle.current = props.onToggle
  useEffect(() => {
    const element = floating.current
    if (!element) return
    const button = document.getElementById(`${id}-button`)
    const sizeObserver = new ResizeObserver(() => button && place(element, button)) // what it holds may be loaded once it is open
    const onToggle = (event: Event) => {
      const isOpen = (event as ToggleEvent).newState === 'open'
      button?.setAttribute('aria-expanded', String(isOpen))
      if (isOpen) sizeObserver.observe(element)
      else sizeObserver.disconnect()
      if (isOpen && element.role === 'menu') element.querySelector('button')?.focus() // start for the arrow keys
      latestOnToggle.current?.(isOpen)
    }
    element.addEventListener('toggle', onToggle)
    return () => {
      sizeObserver.disconnect()
      element.removeEventListener('toggle', onToggle)
    }
  }, [id])
  const role = props.role ?? 'dialog'
  return (
    <>
      {props.trigger({ id: `${id}-button`, popovertarget: id, 'aria-expanded': 'false', 'aria-haspopup': role })}
      <div
        ref={floating}
        id={id}
        popover="auto"
        role={role}
        aria-label={props.label}
        class={`popover ${props.class ?? ''}`}
      >
        {props.children}
      </div>
    </>
  )
}

const gapPx = 4
const marginPx = 8

/** Places a popover below its button, or above if it has room only there; not beyond the sides of the window. */
export function place(element: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { width, height } = element.getBoundingClientRect()
  const left = Math.max(marginPx, Math.min(at.left, innerWidth - width - marginPx))
  const isBelow = at.bottom + gapPx + height <= innerHeight - marginPx || at.top < height + gapPx
  element.style.left = `${left}px`
  element.style.top = `${isBelow ? at.bottom + gapPx : at.top - gapPx - height}px`
}

/** A heading with a "how?" beside it, which is no part of its name. */
export function HowHeading({ title, of, children }: { title: string; of: string; children: ComponentChildren }) {
  return (
    <div class="how-heading">
      <h2>{title}</h2>
      <How of={of}>{children}</How>
    </div>
  )
}

/** Button "how?" that opens the calculation of a number, which is drawn once it is opened. */
export function How({ of, children }: { of: string; children: ComponentChildren }) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <Popover
      class="how-text"
      label={`${of}: ${words.how}`}
      onToggle={(isOpen) => isOpen && setWasOpened(true)}
      trigger={(attributes) => (
        <button type="button" class="how" {...attributes} aria-label={`${of}: ${words.how}`}>
          {words.how}
        </button>
      )}
    >
      {wasOpened && children}
    </Popover>
  )
}
