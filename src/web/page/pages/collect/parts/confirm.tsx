import { signal } from '@preact/signals'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'

type Asked = { title: string; text: string; onYes: () => void }

const asked = signal<Asked | null>(null)

/** Opens a confirmation before a deletion that cannot be undone. */
export function confirmFirst(question: Asked): void {
  asked.value = question
}

/** Dialog that shows the confirmation of `confirmFirst`. */
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
