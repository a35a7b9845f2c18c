import type { ComponentChildren } from 'preact'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time.tsx'
import type { Step } from '../steps.ts'

/** Events in the order of time. `contentBelow`: what stands below an event. */
export function StepList({
  of,
  contentBelow,
}: {
  of: readonly Step[]
  contentBelow?: (step: Step) => ComponentChildren
}) {
  return (
    <ol class="happened">
      {of.map((step, at) => (
        <li key={step.notification?.id ?? `step-${at}`}>
          <Icon name={step.icon} />
          <Time ms={step.atMs} exact />
          <div>
            {step.text}
            {contentBelow?.(step)}
          </div>
        </li>
      ))}
    </ol>
  )
}
