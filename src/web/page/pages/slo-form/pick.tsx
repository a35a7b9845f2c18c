import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type ProblemAttributes, ProblemText } from '../../ui/form/field.tsx'

type Props = {
  label?: string
  problem: ComponentChildren
  /** Controls of the part; those that the problem is about get its attributes. */
  children: (attributes: ProblemAttributes) => ComponentChildren
}

/** A part of the form with several controls, or with one that is no native input, and its problem. */
export function Pick({ label, problem, children }: Props) {
  const id = useId()
  return (
    <div class="pick">
      {label !== undefined && <span class="pick-label">{label}</span>}
      {children(problem ? { 'aria-invalid': true, 'aria-describedby': `${id}-problem` } : {})}
      <ProblemText id={`${id}-problem`} of={problem} />
    </div>
  )
}
