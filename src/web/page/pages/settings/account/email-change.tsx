import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { me, updateMe } from '../../../api/session.ts'
import { useRead } from '../../../api/use-read.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Time } from '../../../ui/time.tsx'
import type { OwnEmail } from '../types.ts'
import { changedText, pendingSentence } from './words.ts'

const path = '/auth/me/email'

/** Change of the person's e-mail address: its form, and the change that waits for its confirmation. */
export function EmailChange() {
  const own = useRead<OwnEmail>(path)
  const [isAsked, ask] = useState(false)
  const withdrawal = useAction(
    async () => {
      await send('DELETE', path)
      invalidate(path)
    },
    { done: 'The change is withdrawn.', failed: 'The change is not withdrawn.' },
  )
  const pending = own.value.value?.pending
  return (
    <div class="stack">
      {pending && <p role="status">{pendingSentence(pending.email, <Time ms={Date.parse(pending.expires_at)} />)}</p>}
      <div class="cluster">
        <Button small onClick={() => ask(true)}>
          Change the e-mail address
        </Button>
        {pending && (
          <Button small isBusy={withdrawal.isBusy} onClick={() => withdrawal.run()}>
            Withdraw the change
          </Button>
        )}
      </div>
      {isAsked && <Changing onClose={() => ask(false)} />}
    </div>
  )
}

type Draft = { email: string; password: string }

const fields: readonly FieldSpec<Draft>[] = [
  { name: 'email', label: 'New e-mail address', type: 'email', autocomplete: 'email', required: true, maxLength: 254 },
  {
    name: 'password',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxLength: 256,
  },
]

function Changing({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initial: { email: '', password: '' },
    send: async (body) => {
      const own = await send<OwnEmail>('PUT', path, { body })
      invalidate(path)
      const user = me.peek()
      if (user) updateMe({ ...user, email: own.email, email_confirmed: own.email_confirmed })
      return own
    },
    done: changedText,
    next: onClose,
  })
  return (
    <FormDialog of={form} title="Change the e-mail address" action="Change" onClose={onClose}>
      <p>The new address is mailed a link. Until it is followed, the present address stays.</p>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}
