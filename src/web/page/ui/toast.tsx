import { signal } from '@preact/signals'
import { words } from '../words.ts'
import { Button, IconButton } from './button.tsx'

type Toast = { id: number; text: string; undo?: () => void; isProblem: boolean }

const toasts = signal<Toast[]>([])
const shownForMs = 10_000
let nextId = 1

/** Says what was done, at the lower edge, for ten seconds; with `undo`, a button that takes it back. */
export function toast(
  text: string,
  { undo, isProblem = false }: { undo?: () => void; isProblem?: boolean } = {},
): void {
  const id = nextId++
  toasts.value = [...toasts.value, { id, text, isProblem, ...(undo && { undo }) }]
  setTimeout(() => dismiss(id), shownForMs)
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, isProblem }) => (
        <div key={id} class={`toast${isProblem ? ' problem' : ''}`}>
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
