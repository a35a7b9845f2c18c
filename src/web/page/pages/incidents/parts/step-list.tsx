import type { ComponentChildren } from 'preact'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time.tsx'
import type { Step } from '../steps.ts'

/** Events in the order of time. `below`: what stands below an event. */
export function StepList({ of, below }: { of: readonly Step[]; below?: (step: Step) => ComponentChildren }) {
  return (
    <ol class="happened">
      {of.map((step, at) => (
        <li key={step.notification?.id ?? `step-${at}`}>
          <Icon name={step.icon} />
          <Time ms={step.atMs} exact />
          <div>
            {step.text}
            {below?.(step)}
          </div>
        </li>
      ))}
    </ol>
  )
}
