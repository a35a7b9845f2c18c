import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'

type Draft = { current_password: string; new_password: string; revoke_tokens: boolean }

const empty: Draft = { current_password: '', new_password: '', revoke_tokens: false }

const fields: readonly FieldSpec<Draft>[] = [
  {
    name: 'current_password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxLength: 256,
  },
  {
    name: 'new_password',
    label: 'New password',
    hint: '8 characters or more',
    type: 'password',
    autocomplete: 'new-password',
    required: true,
    minLength: 8,
    maxLength: 256,
  },
  { name: 'revoke_tokens', kind: 'check', label: 'Revoke my API tokens too' },
]

/** Form that changes the password of the person. */
export function Password() {
  const form = useForm({
    initial: empty,
    send: async (body) => {
      await send('POST', '/auth/change-password', { body })
      invalidate('/auth/tokens')
    },
    done: 'The password is changed. All other sessions have ended.',
    next: (): void => form.set(empty),
  })
  return (
    <section class="card section" aria-label="Password">
      <h2>Password</h2>
      <p class="hint">A change ends all other sessions, and what applications hold.</p>
      <Form of={form} class="form" action="Change the password">
        <Fields of={fields} form={form} />
      </Form>
    </section>
  )
}
