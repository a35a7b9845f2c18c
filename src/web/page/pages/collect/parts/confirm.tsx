import { signal } from '@preact/signals'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'

type Asked = { title: string; text: string; onYes: () => void }

const asked = signal<Asked | null>(null)

/** Asks before something is deleted that cannot be brought back. */
export function confirmFirst(question: Asked): void {
  asked.value = question
}

/** Where the question is shown. */
export function Confirm() {
  const question = asked.value
  if (question === null) return null
  const close = () => void (asked.value = null)
  const onSend = async () => {
    close()
    question.onYes()
  }
  return (
    <FormDialog title={question.title} action="Delete" onClose={close} onSend={onSend} isBusy={false}>
      <p>{question.text}</p>
    </FormDialog>
  )
}
