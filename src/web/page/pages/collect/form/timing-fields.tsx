import type { Form } from '../../../ui/form/use-form.ts'
import { Group } from './group.tsx'
import type { TimingDraft } from './timing.ts'
import { labelsHint } from '../parts/words.ts'

/** Interval, timeout and labels of a scrape target or probe. */
export function TimingFields({ form }: { form: Form<TimingDraft> }) {
  const hint = labelsHint(form.draft.name)
  return (
    <Group
      title="When, and under which labels"
      form={form}
      of={[
        { name: 'interval', label: 'Interval, in seconds', hint: '5 to 3,600', required: true },
        { name: 'timeout', label: 'Timeout, in seconds', hint: 'At most the interval', required: true },
        { name: 'labels', kind: 'area', label: 'Labels', hint, isCode: true },
      ]}
    />
  )
}
