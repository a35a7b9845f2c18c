import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { AreaField, Group } from './fields.tsx'
import type { TimingDraft } from './timing.ts'

/** Interval, timeout and labels of a scrape target or probe. */
export function TimingFields({ form }: { form: Form<TimingDraft> }) {
  return (
    <Group title="When, and under which labels">
      <TextField label="Interval, in seconds" hint="5 to 3,600" required {...form.field('interval')} />
      <TextField label="Timeout, in seconds" hint="At most the interval" required {...form.field('timeout')} />
      <AreaField
        label="Labels"
        hint={`Added to every series, one a line, such as rack=b. The label job is ${form.draft.name || 'the name'}.`}
        {...form.field('labels')}
      />
    </Group>
  )
}
