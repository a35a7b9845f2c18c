import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { updateMe } from '../../../api/session.ts'
import type { User } from '../../../api/types.ts'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'

type Draft = { name: string }

const fields: readonly FieldSpec<Draft>[] = [
  { name: 'name', label: 'Name', autocomplete: 'name', required: true, maxLength: 200 },
]

/** Form for the user's own name, which other users see. */
export function NameForm({ of: { name } }: { of: Pick<User, 'name'> }) {
  const form = useForm({
    initial: { name },
    send: async (body) => {
      updateMe(await send<User>('PUT', '/auth/me', { body }))
      invalidate('/organization/users')
    },
    done: 'Saved.',
  })
  return (
    <Form of={form} class="form" action="Save the name">
      <Fields of={fields} form={form} />
    </Form>
  )
}
