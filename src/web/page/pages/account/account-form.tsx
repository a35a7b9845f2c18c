import type { ComponentChildren } from 'preact'
import { asApiError } from '../../api/client.ts'
import { words } from '../../words.ts'
import { useAction } from '../../ui/action.ts'
import { useTitle } from '../../ui/title.ts'
import { Button } from '../../ui/button.tsx'

type Props = {
  title: string
  button: string
  onSend: () => Promise<void>
  children: (problemOf: (field: string) => string | undefined) => ComponentChildren
  below?: ComponentChildren
}

/** Form of a page outside of the shell. Problems of a field are shown at the field, other errors above the button. */
export function AccountForm({ title, button, onSend, children, below }: Props) {
  const { run, isBusy, problem: error } = useAction(onSend, { problemOf: asApiError })
  const said = error?.problems ?? []
  const asked = new Set<string>()
  const problemOf = (field: string) => {
    asked.add(field)
    return said.find((problem) => problem.field === field)?.message
  }
  const send = (event: Event) => {
    event.preventDefault()
    void run()
  }
  const fields = children(problemOf)
  const isSaidAtFields = said.some(({ field }) => asked.has(field))
  return (
    <AccountPage title={title}>
      <form onSubmit={send} noValidate={false}>
        {fields}
        {error && !isSaidAtFields && (
          <p class="problem" role="alert">
            {error.message}
            {error.details === undefined ? '.' : `: ${error.details}`}
          </p>
        )}
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {button}
        </Button>
      </form>
      {below && <div class="below">{below}</div>}
    </AccountPage>
  )
}

/** Frame of the pages that need no session. The title is also the document's title. */
export function AccountPage({ title, children }: { title: string; children: ComponentChildren }) {
  useTitle(title)
  return (
    <main class="account">
      <p class="brand">{words.product}</p>
      <div class="card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
