import { signal } from '@preact/signals'

type Toast = { id: number; text: string; undo?: () => void; isProblem: boolean }
type Timer = ReturnType<typeof setTimeout>

/** Messages that are shown now, the oldest first. */
export const toasts = signal<Toast[]>([])

const shownForMs = 10_000
const timers = new Map<number, Timer>()
let nextId = 1

/**
 * Shows a message at the lower edge for ten seconds, and longer while it is hovered or focused; `undo` adds a button that
 * reverts the action.
 */
export function toast(
  text: string,
  { undo, isProblem = false }: { undo?: (() => void) | undefined; isProblem?: boolean } = {},
): void {
  const id = nextId++
  toasts.value = [...toasts.value, { id, text, isProblem, ...(undo && { undo }) }]
  dismissLater(id)
}

/** Dismisses a message after ten seconds, unless it is held again before. */
export function dismissLater(id: number): void {
  hold(id)
  timers.set(
    id,
    setTimeout(() => dismiss(id), shownForMs),
  )
}

/** Keeps a message until `dismissLater` or `dismiss`. */
export function hold(id: number): void {
  clearTimeout(timers.get(id))
}

/** Removes a message. */
export function dismiss(id: number): void {
  hold(id)
  timers.delete(id)
  // the focus would be lost with the toast
  if (document.activeElement?.closest('.toast')) document.querySelector<HTMLElement>('main')?.focus()
  toasts.value = toasts.value.filter((one) => one.id !== id)
}
