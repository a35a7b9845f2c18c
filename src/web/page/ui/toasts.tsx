import { words } from '../words.ts'
import { Button, IconButton } from './button.tsx'
import { dismiss, dismissLater, hold, toasts } from './toast.ts'

/** List of the messages of `toast`, which screen readers read out. */
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
