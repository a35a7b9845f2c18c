import type { ComponentChildren } from 'preact'
import { Field } from '../../../ui/form/field.tsx'

type CheckProps = { label: string; hint?: string; checked: boolean; onChecked: (checked: boolean) => void }

/** A checkbox. */
export function CheckField({ label, hint, checked, onChecked }: CheckProps) {
  return (
    <label class="check-field">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChecked(currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <span class="hint"> {hint}</span>}
      </span>
    </label>
  )
}

type SelectProps<T extends string> = {
  label: string
  hint?: ComponentChildren
  problem?: string | undefined
  value: T
  options: readonly (readonly [value: T, label: string])[]
  onValue: (value: T) => void
}

/** A select with a few options. */
export function SelectField<T extends string>({ label, hint, problem, value, options, onValue }: SelectProps<T>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([one]) => one === currentTarget.value)
            if (chosen) onValue(chosen[0])
          }}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type AreaProps = {
  label: string
  hint?: ComponentChildren
  problem?: string | undefined
  value: string
  placeholder?: string
  rows?: number
  onValue: (value: string) => void
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
