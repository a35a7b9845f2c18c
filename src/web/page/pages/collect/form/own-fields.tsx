import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { CheckField } from './fields.tsx'

type NameProps = { form: Form<{ name: string }>; placeholder: string; hint?: string }

/** Name of a scrape target, probe or source. */
export function NameField({ form, placeholder, hint }: NameProps) {
  return (
    <TextField label="Name" placeholder={placeholder} hint={hint} required maxLength={200} {...form.field('name')} />
  )
}

/** Checkbox that pauses a scrape target or probe. */
export function PausedField({ form, hint }: { form: Form<{ isActive: boolean }>; hint: string }) {
  const { value, onValue, problem } = form.field('isActive')
  return (
    <CheckField
      label="Paused"
      hint={hint}
      value={!value}
      onValue={(isPaused) => onValue(!isPaused)}
      problem={problem}
    />
  )
}
