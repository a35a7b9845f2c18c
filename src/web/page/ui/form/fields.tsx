import type { ComponentChildren, ComponentType } from 'preact'
import { useId } from 'preact/hooks'
import { Field, ProblemText, type TextAttributes, TextField } from './field.tsx'
import { SelectField } from './select-field.tsx'
import type { Bound, Form } from './use-form.ts'

/** Field of a form as data: the value that it shows, and the input for it. Without a `kind` it is a line of text. */
export type FieldSpec<T> = {
  [K in keyof T & string]: { name: K; label: string; hint?: ComponentChildren } & InputOf<T[K]>
}[keyof T & string]

type InputOf<V> = [V] extends [boolean]
  ? { kind: 'check' }
  : | { kind: 'select'; options: readonly (readonly [value: V, label: string])[] }
    | (string extends V ? ({ kind?: 'text' } & TextAttributes) | ({ kind: 'area' } & AreaAttributes) : never)

type Props<T extends object> = { of: readonly FieldSpec<NoInfer<T>>[]; form: Pick<Form<T>, 'draft' | 'field'> }

/** Fields of a form, in their order. */
export function Fields<T extends object>({ of, form }: Props<T>) {
  return (
    <>
      {of.map(({ name, kind, ...attributes }) => {
        const Input = inputs[kind ?? 'text'] as ComponentType<object> // `FieldSpec` has attributes that fit its kind
        return <Input key={name} {...attributes} {...form.field(name)} />
      })}
    </>
  )
}

type CheckProps = Bound<boolean> & { label: string; hint?: ComponentChildren }

/** A checkbox. */
function CheckField({ label, hint, value, onValue, problem }: CheckProps) {
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

type AreaAttributes = { placeholder?: string | undefined; rows?: number; isCode?: boolean }
type AreaProps = Bound<string> & AreaAttributes & { label: string; hint?: ComponentChildren }

/** A text of several lines. */
function AreaField({ label, hint, problem, value, placeholder, rows = 2, isCode, onValue }: AreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <textarea
          {...ids}
          class={isCode ? 'input mono' : 'input'}
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

const inputs = { text: TextField, area: AreaField, select: SelectField, check: CheckField }
