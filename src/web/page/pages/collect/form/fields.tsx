import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Field, ProblemText } from '../../../ui/form/field.tsx'
import type { Bound } from '../../../ui/form/use-form.ts'

type CheckProps = Bound<boolean> & { label: string; hint?: string }

/** A checkbox. */
export function CheckField({ label, hint, value, onValue, problem }: CheckProps) {
  const id = useId()
  return (
    <>
      <label class="check-field">
        <input
          type="checkbox"
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={problem && id}
          checked={value}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
        />
        <span>
          {label}
          {hint !== undefined && <span class="hint"> {hint}</span>}
        </span>
      </label>
      <ProblemText id={id} of={problem} />
    </>
  )
}

type AreaProps = Bound<string> & {
  label: string
  hint?: ComponentChildren
  placeholder?: string
  rows?: number
}

/** A text of several lines. */
export function AreaField({ label, hint, problem, value, placeholder, rows = 2, onValue }: AreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <textarea
          {...ids}
          class="input mono"
          rows={rows}
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** Fields that belong together; folded if few users need them. */
export function Group({
  title,
  isFolded = false,
  children,
}: {
  title: string
  isFolded?: boolean
  children: ComponentChildren
}) {
  if (isFolded) {
    return (
      <details class="form-group">
        <summary>{title}</summary>
        <div class="form-grid">{children}</div>
      </details>
    )
  }
  return (
    <fieldset class="form-group">
      <legend>{title}</legend>
      <div class="form-grid">{children}</div>
    </fieldset>
  )
}
