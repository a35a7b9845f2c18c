import { AuthFields } from '../form/auth-fields.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { formOf } from '../form/form-of.tsx'
import { Group } from '../form/group.tsx'
import { nameField, pausedField } from '../form/own-fields.ts'
import { TimingFields } from '../form/timing-fields.tsx'
import type { Target, Trial } from '../types.ts'
import { bodyOfTarget, draftOfTarget, targetNames } from './target-draft.ts'
import { TargetTrial } from './target-trial.tsx'

const path = '/embedded/targets'
const urlField = {
  name: 'url',
  label: 'URL of the metrics',
  placeholder: 'http://127.0.0.1:9100/metrics',
  hint: 'Prometheus text format or OpenMetrics, asked from where nines runs',
  required: true,
  autofocus: true,
} as const
const nameTexts = { placeholder: 'node', hint: 'The label job of its series' }
const honorField = {
  name: 'honorLabels',
  kind: 'check',
  label: 'Keep job and instance of the target',
  hint: 'Where it names the labels itself, as a gateway or a federation does (honor_labels)',
} as const

export const TargetForm = formOf<Target>(path, Form, ({ updated_at }) => updated_at)

function Form({ of: target }: { of: Target | null }) {
  return (
    <EditForm
      back="/collect/targets"
      list={path}
      id={target?.id ?? null}
      initial={() => draftOfTarget(target)}
      names={targetNames}
      body={bodyOfTarget}
      tryLabel="Try now"
      trialOf={(trial: Trial) => <TargetTrial of={trial} />}
    >
      {(form) => (
        <>
          <Group title="What is scraped" form={form} of={[urlField, { ...nameField, ...nameTexts }]} />
          <TimingFields form={form} />
          <AuthFields form={form} isStored={target?.auth !== null && target !== null} />
          <Group
            title="More"
            isFolded
            form={form}
            of={[honorField, { ...pausedField, hint: 'It is kept, and not scraped' }]}
          >
            <p class="hint">
              A scrape has at most 10 MiB and 100,000 samples. A certificate has to be good for the host of the URL.
            </p>
          </Group>
        </>
      )}
    </EditForm>
  )
}
