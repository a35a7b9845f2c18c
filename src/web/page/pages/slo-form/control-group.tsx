import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type ProblemAttributes, ProblemText } from '../../ui/form/field.tsx'

type Props = {
  label?: string
  problem: ComponentChildren
  /** Renders the controls; `attributes` belong on those that the problem is about. */
  children: (attributes: ProblemAttributes) => ComponentChildren
}

/** Label, controls and problem of a part of the form that has several controls, or one that is no native input. */
export function ControlGroup({ label, problem, children }: Props) {
  const id = useId()
  return (
    <div class="control-group">
      {label !== undefined && <span class="control-group-label">{label}</span>}
      {children(problem ? { 'aria-invalid': true, 'aria-describedby': `${id}-problem` } : {})}
      <ProblemText id={`${id}-problem`} of={problem} />
    </div>
  )
}
