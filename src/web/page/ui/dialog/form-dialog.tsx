import type { ComponentChildren } from 'preact'
import { words } from '../../words.ts'
import { Button, IconButton } from '../button.tsx'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  /** What the button that sends it says. */
  action: string
  onClose: () => void
  onSend: () => Promise<void>
  isBusy: boolean
  /** What is wrong with no single field. */
  problem?: string | undefined
  unavailable?: string | undefined
  /** Other buttons, at the left of the foot. */
  more?: ComponentChildren
  children: ComponentChildren
}

/** A form over the page: its title, its fields, and what sends it. */
export function FormDialog(props: Props) {
  const { title, action, onClose, onSend, isBusy, problem, unavailable, more, children } = props
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
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} unavailable={unavailable}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
