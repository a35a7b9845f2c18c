import { Form } from '../../ui/form/form.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'

type Props = {
  /** Absent: only a button. */
  field?: { label: string; placeholder: string; type?: 'email' | 'text'; inputMode?: 'url' }
  button: string
  /** Sends the value. Its error is shown at the field. */
  onSend: (value: string) => Promise<void>
  unavailable?: string | undefined
}

/** A form with at most one field. */
export function OneField({ field, button, onSend, unavailable }: Props) {
  const form = useForm({
    initial: { value: '' },
    shownAt: field && 'value',
    send: ({ value }) => onSend(value.trim()),
  })
  return (
    <Form of={form} class="one-field" action={button} look="plain" unavailable={unavailable}>
      {field && <TextField {...field} required {...form.field('value')} />}
    </Form>
  )
}
