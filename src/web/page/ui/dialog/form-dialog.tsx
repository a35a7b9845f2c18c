import type { ComponentChildren } from 'preact'
import { words } from '../../words.ts'
import { Button, IconButton } from '../button.tsx'
import { OtherProblems, submit, type Submitted } from '../form/form.tsx'
import { Dialog } from './dialog.tsx'

type Props = {
  of: Submitted
  title: string
  /** Label of the submit button. */
  action: string
  onClose: () => void
  unavailable?: string | undefined
  /** Label of the button that closes the dialog without sending; by default "Cancel". */
  dismiss?: string
  /** True if the submit button has the focus at first, so that Enter confirms. */
  isQuestion?: boolean
  /** Further buttons, on the left of the footer. */
  more?: ComponentChildren
  children: ComponentChildren
}

/** A form in a dialog, or a question without fields, with title and submit button. */
export function FormDialog(props: Props) {
  const { of, title, action, onClose, unavailable, dismiss = 'Cancel', isQuestion, more, children } = props
  return (
    <Dialog label={title} class="form-dialog" onClose={onClose}>
      <form ref={of.element ?? null} onSubmit={(event) => submit(event, of, unavailable)} noValidate>
        <header>
          <h2>{title}</h2>
          <IconButton icon="x" label={words.close} onClick={onClose} />
        </header>
        <div class="fields">
          {children}
          <OtherProblems of={of} />
        </div>
        <footer>
          {more}
          <span class="spring" />
          <Button onClick={onClose}>{dismiss}</Button>
          <Button type="submit" kind="primary" isBusy={of.isBusy} unavailable={unavailable} autofocus={isQuestion}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
