import { TextField } from '../../../ui/form/field.tsx'
import type { ProblemOf } from './edit-form.tsx'
import { AreaField, Group } from './fields.tsx'
import type { TimingDraft } from './timing.ts'

type Props = { draft: TimingDraft; onDraft: (change: Partial<TimingDraft>) => void; problemOf: ProblemOf }

/** Interval, timeout and labels of a scrape target or probe. */
export function TimingFields({ draft, onDraft, problemOf }: Props) {
  return (
    <Group title="When, and under which labels">
      <TextField
        label="Interval, in seconds"
        hint="5 to 3,600"
        required
        value={draft.interval}
        onValue={(interval) => onDraft({ interval })}
        problem={problemOf('interval_seconds')}
      />
      <TextField
        label="Timeout, in seconds"
        hint="At most the interval"
        required
        value={draft.timeout}
        onValue={(timeout) => onDraft({ timeout })}
        problem={problemOf('timeout_seconds')}
      />
      <AreaField
        label="Labels"
        hint={`Added to every series, one a line, such as rack=b. The label job is ${draft.name || 'the name'}.`}
        value={draft.labels}
        onValue={(labels) => onDraft({ labels })}
        problem={problemOf('labels')}
      />
    </Group>
  )
}
