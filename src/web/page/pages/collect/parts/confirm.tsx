import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useLayoutEffect } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'

/** `action`: label of the button, by default Delete. */
type Asked = { title: string; text: string; action?: string; onYes: () => void }

const asked = signal<Asked | null>(null)

/** Opens a confirmation; its button calls `onYes`. */
export function confirmFirst(question: Asked): void {
  asked.value = question
}

function close(): void {
  asked.value = null
}

/** Dialog that shows the confirmation of `confirmFirst`. It closes with the page that asked. */
export function Confirm() {
  const { url } = useLocation()
  useLayoutEffect(() => close, [url])
  const question = asked.value
  if (question === null) return null
  const run = () => {
    close()
    question.onYes()
  }
  return (
    <FormDialog title={question.title} action={question.action ?? 'Delete'} onClose={close} of={{ run, isBusy: false }}>
      <p>{question.text}</p>
    </FormDialog>
  )
}
