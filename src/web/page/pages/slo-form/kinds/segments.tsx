import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { ProblemText } from '../../../ui/form/field.tsx'

type Props<T extends string> = {
  label: string
  value: T
  of: Readonly<Record<T, string>>
  onChange: (value: T) => void
  isLabelShown?: boolean
  problem?: ComponentChildren
}

/** A choice of a few options side by side: radio buttons styled as segments. */
export function Segments<T extends string>({ label, value, of, onChange, isLabelShown = false, problem }: Props<T>) {
  const id = useId()
  const invalid = problem ? ({ 'aria-invalid': true, 'aria-describedby': `${id}-problem` } as const) : {}
  return (
    <fieldset class="segments" role="radiogroup" {...invalid}>
      <legend class={isLabelShown ? 'control-group-label' : 'hidden-text'}>{label}</legend>
      <div>
        {(Object.entries(of) as [T, string][]).map(([key, text]) => (
          <label key={key} class={key === value ? 'chosen' : undefined}>
            <input type="radio" name={label} checked={key === value} onChange={() => onChange(key)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <ProblemText id={`${id}-problem`} of={problem} />
    </fieldset>
  )
}
