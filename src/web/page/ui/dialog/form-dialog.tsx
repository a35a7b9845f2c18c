import type { ComponentChildren } from 'preact'
import { words } from '../../words.ts'
import { Button, IconButton } from '../button.tsx'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  /** Label of the submit button. */
  action: string
  onClose: () => void
  onSend: () => Promise<void>
  isBusy: boolean
  /** Error that belongs to no single field. */
  problem?: string | undefined
  unavailable?: string | undefined
  /** Label of the button that closes the dialog without sending; by default "Cancel". */
  dismiss?: string
  /** True if the submit button has the focus at first, so that Enter confirms. */
  isQuestion?: boolean
  /** Further buttons, on the left of the footer. */
  more?: ComponentChildren
  children: ComponentChildren
}

/** A form in a dialog, with title, fields and submit button. */
export function FormDialog(props: Props) {
  const { title, action, onClose, onSend, isBusy, problem, unavailable, dismiss = 'Cancel', more, children } = props
  const { isQuestion } = props
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isBusy && unavailable === undefined) void onSend()
  }
  return (
    <Dialog label={title} class="form-dialog" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <header>
          <h2>{title}</h2>
          <IconButton icon="x" label={words.close} onClick={onClose} />
        </header>
        <div class="fields">
          {children}
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </div>
        <footer>
          {more}
          <span class="spring" />
          <Button onClick={onClose}>{dismiss}</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} unavailable={unavailable} autofocus={isQuestion}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
