import { TextField } from '../../../ui/form/field.tsx'
import type { ProblemOf } from './edit-form.tsx'
import { CheckField } from './fields.tsx'

type NameProps = {
  placeholder: string
  hint?: string
  draft: { name: string }
  onDraft: (change: { name: string }) => void
  problemOf: ProblemOf
}

/** Name of a scrape target, probe or source. */
export function NameField({ placeholder, hint, draft, onDraft, problemOf }: NameProps) {
  return (
    <TextField
      label="Name"
      placeholder={placeholder}
      hint={hint}
      required
      maxLength={200}
      value={draft.name}
      onValue={(name) => onDraft({ name })}
      problem={problemOf('name')}
    />
  )
}

type PausedProps = { hint: string; draft: { isActive: boolean }; onDraft: (change: { isActive: boolean }) => void }

/** Checkbox that pauses a scrape target or probe. */
export function PausedField({ hint, draft, onDraft }: PausedProps) {
  return (
    <CheckField
      label="Paused"
      hint={hint}
      checked={!draft.isActive}
      onChecked={(isPaused) => onDraft({ isActive: !isPaused })}
    />
  )
}
