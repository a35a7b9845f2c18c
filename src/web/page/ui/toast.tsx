import { signal } from '@preact/signals'
import { words } from '../words.ts'
import { Button, IconButton } from './button.tsx'

type Toast = { id: number; text: string; undo?: () => void; isProblem: boolean }
type Timer = ReturnType<typeof setTimeout>

const toasts = signal<Toast[]>([])
const shownForMs = 10_000
const timers = new Map<number, Timer>()
let nextId = 1

/**
 * Shows a message at the lower edge for ten seconds, and longer while it is hovered or focused; `undo` adds a button that
 * reverts the action.
 */
export function toast(
  text: string,
  { undo, isProblem = false }: { undo?: () => void; isProblem?: boolean } = {},
): void {
  const id = nextId++
  toasts.value = [...toasts.value, { id, text, isProblem, ...(undo && { undo }) }]
  dismissLater(id)
}

function dismissLater(id: number): void {
  hold(id)
  timers.set(
    id,
    setTimeout(() => dismiss(id), shownForMs),
  )
}

function hold(id: number): void {
  clearTimeout(timers.get(id))
}

function dismiss(id: number): void {
  hold(id)
  timers.delete(id)
  // the focus would be lost with the toast
  if (document.activeElement?.closest('.toast')) document.querySelector<HTMLElement>('main')?.focus()
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, isProblem }) => (
        <div
          key={id}
          class={`toast${isProblem ? ' problem' : ''}`}
          onPointerEnter={() => hold(id)}
          onPointerLeave={() => dismissLater(id)}
          onFocusIn={() => hold(id)}
          onFocusOut={() => dismissLater(id)}
        >
          <span>{text}</span>
          {undo && (
            <Button
              small
              icon="undo-2"
              onClick={() => {
                dismiss(id)
                undo()
              }}
            >
              {words.undo}
            </Button>
          )}
          <IconButton icon="x" label={words.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
