import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../../ui/button.tsx'

type Asked = { title: string; text: string; button: string; onYes: () => void }

const asked = signal<Asked | null>(null)

/** Asks before something that cannot be undone. */
export function confirmFirst(question: Asked): void {
  asked.value = question
}

/** Where the question is shown. */
export function Confirm() {
  return asked.value && <ConfirmDialog {...asked.value} />
}

function ConfirmDialog({ title, text, button, onYes }: Asked) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const close = () => void (asked.value = null)
  return (
    <dialog ref={dialog} class="confirm" aria-label={title} onClose={close}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="form-buttons">
        <Button
          kind="danger"
          onClick={() => {
            close()
            onYes()
          }}
        >
          {button}
        </Button>
        <Button onClick={close}>Keep it</Button>
      </div>
    </dialog>
  )
}
