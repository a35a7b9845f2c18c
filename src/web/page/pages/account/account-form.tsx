import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, asApiError } from '../../api/client.ts'
import { now } from '../../clock.ts'
import { words } from '../../words.ts'
import { useTitle } from '../../ui/title.ts'
import { Fields, type FieldSpec } from '../../ui/form/fields.tsx'
import { Form } from '../../ui/form/form.tsx'
import { type Names, useForm } from '../../ui/form/use-form.ts'
import { useNow } from '../../ui/time.tsx'
import { heldSentence } from './words.ts'

type Props<T> = {
  title: string
  button: string
  initial: T | (() => T)
  names?: Names<T>
  fields: readonly FieldSpec<T>[]
  onSend: (draft: T) => Promise<void>
  /** Text above the fields. */
  note?: ComponentChildren
  below?: ComponentChildren
}

/**
 * Form of a page outside of the shell. An error that is of none of its fields is shown as message and details. After too many attempts the
 * form counts the seconds until it may be sent again.
 */
export function AccountForm<T extends object>(props: Props<T>) {
  const { title, button, initial, names = {} as Names<T>, fields, onSend, note, below } = props
  const [blockedUntilMs, setBlockedUntilMs] = useState(0)
  const waitSeconds = useNow((atMs) => Math.max(0, Math.ceil((blockedUntilMs - atMs) / 1000)), [blockedUntilMs]).value
  const form = useForm({
    initial,
    names,
    send: (draft) =>
      onSend(draft).catch((error: unknown) => {
        const { status, message, details, problems, retryAfterSeconds = 0 } = asApiError(error)
        if (status === 429) setBlockedUntilMs(now() + retryAfterSeconds * 1000)
        const known = new Set(fields.flatMap(({ name }) => names[name] ?? name))
        if (problems.some(({ field }) => known.has(field))) throw error
        throw new ApiError(status, details === undefined ? message : `${message}: ${details}`)
      }),
  })
  const isBlocked = waitSeconds > 0
  useEffect(() => {
    if (!isBlocked) form.clear()
  }, [isBlocked])
  const wait = isBlocked ? heldSentence(waitSeconds) : undefined
  return (
    <AccountPage title={title}>
      <Form of={form} action={button} unavailable={wait} result={wait && <p role="timer">{wait}</p>}>
        {note}
        <Fields of={fields} form={form} />
      </Form>
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
