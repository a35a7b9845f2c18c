import type { ComponentChildren } from 'preact'
import { Field } from './field.tsx'

type Props<T> = {
  label: string
  hint?: ComponentChildren
  problem?: string | undefined
  value: T
  options: readonly (readonly [value: T, label: string])[]
  onValue: (value: T) => void
}

/** A select with a few options. */
export function SelectField<T extends string | number | null>(props: Props<T>) {
  const { label, hint, problem, value, options, onValue } = props
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={keyOf(value)}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([one]) => keyOf(one) === currentTarget.value)
            if (chosen) onValue(chosen[0])
          }}
        >
          {options.map(([one, text]) => (
            <option key={one} value={keyOf(one)}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function keyOf(value: string | number | null): string {
  return String(value ?? '')
}
