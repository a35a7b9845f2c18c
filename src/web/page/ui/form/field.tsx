import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: string
  /** Line with further information. */
  hint?: ComponentChildren
  /** Problem of the value, from the server or the page: its text, or a view of it. */
  problem?: ComponentChildren
  children: (ids: { id: string } & ProblemAttributes) => ComponentChildren
}

/** Attributes of an input that has a problem, or a hint. */
export type ProblemAttributes = { 'aria-describedby'?: string; 'aria-invalid'?: true }

/** A label, its input, and its problem. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(problem && { 'aria-invalid': true as const }),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <ProblemText id={`${id}-problem`} of={problem} />
    </div>
  )
}

/** Problem of an input, which its `aria-describedby` names; nothing if there is none. */
export function ProblemText({ id, of }: { id: string; of: ComponentChildren }) {
  if (!of) return null
  return typeof of === 'string' ? (
    <p class="problem" id={id}>
      {of}
    </p>
  ) : (
    <div id={id}>{of}</div>
  )
}

/** Attributes of an input whose problem is a `ProblemText` with the id `…-problem`. */
export function problemAttributes(id: string, problem: string | undefined): ProblemAttributes {
  return problem === undefined ? {} : { 'aria-describedby': `${id}-problem`, 'aria-invalid': true }
}

/** Attributes of a single-line input. */
export type TextAttributes = {
  type?: 'email' | 'number' | 'password' | 'text' | 'date'
  inputMode?: 'url'
  autocomplete?: string
  placeholder?: string | undefined
  list?: string
  spellcheck?: boolean
  required?: boolean
  autofocus?: boolean
  minLength?: number
  maxLength?: number
  /** Button beside the input. */
  beside?: ComponentChildren
}

type TextProps = Omit<FieldProps, 'children'> &
  TextAttributes & {
    value: string
    onValue: (value: string) => void
  }

/** A single-line field. */
export function TextField({ label, hint, problem, onValue, beside, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => {
        const attributes = { ...rest, ...ids } as InputHTMLAttributes<HTMLInputElement> // its type is a union of many shapes
        const input = <input {...attributes} class="input" onInput={(event) => onValue(event.currentTarget.value)} />
        return beside ? (
          <div class="with-button">
            {input}
            {beside}
          </div>
        ) : (
          input
        )
      }}
    </Field>
  )
}
