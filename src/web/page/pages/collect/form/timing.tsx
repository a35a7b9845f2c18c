import { TextField } from '../../../ui/field.tsx'
import type { ProblemOf } from './edit-form.tsx'
import { AreaField, Group } from './fields.tsx'
import { linesOf, readLines, readNumber } from './lines.ts'

/** What the forms of targets and probes have in common. */
export type TimingDraft = { name: string; interval: string; timeout: string; labels: string }

type Timed = { name: string; interval_seconds: number; timeout_seconds: number; labels: Record<string, string> }

export const freshTiming: TimingDraft = { name: '', interval: '30', timeout: '10', labels: '' }

export function draftOfTiming({ name, interval_seconds, timeout_seconds, labels }: Timed): TimingDraft {
  return {
    name,
    interval: String(interval_seconds),
    timeout: String(timeout_seconds),
    labels: linesOf(labels, '='),
  }
}

/** The fields of a request. Throws for what is no number, and for a line of labels that is none. */
export function timingOf({ name, interval, timeout, labels }: TimingDraft): Timed {
  return {
    name,
    interval_seconds: readNumber(interval, 'interval_seconds'),
    timeout_seconds: readNumber(timeout, 'timeout_seconds'),
    labels: readLines(labels, '=', 'labels'),
  }
}

type Props = { draft: TimingDraft; onDraft: (change: Partial<TimingDraft>) => void; problemOf: ProblemOf }

/** How often it runs, and which labels its series get. */
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
