import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import type { Organization } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Read } from '../../../ui/read.tsx'
import { requirementText } from './words.ts'

const path = '/organization'

type Draft = { second_factor_required: boolean }

const fields: readonly FieldSpec<Draft>[] = [
  { name: 'second_factor_required', kind: 'check', label: 'Require a second factor' },
]

/** Switch by which administrators require a second factor of everybody in the organization. */
export function Requirement() {
  const organization = useRead<Organization>(path)
  return (
    <section class="card section" aria-label="Second factor">
      <h2>Second factor</h2>
      <p class="hint">{requirementText}</p>
      <Read of={organization} heightPx={80}>
        {({ second_factor_required }) => (
          <Choice key={String(second_factor_required)} of={{ second_factor_required }} />
        )}
      </Read>
    </section>
  )
}

function Choice({ of: initial }: { of: Draft }) {
  const form = useForm({
    initial,
    send: async (body) => {
      await send('PUT', path, { body })
      invalidate(path)
    },
    done: 'Saved.',
  })
  return (
    <Form of={form} class="form" action="Save">
      <Fields of={fields} form={form} />
    </Form>
  )
}
