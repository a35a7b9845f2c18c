import { useState } from 'preact/hooks'
import { useResource } from '../../../api/use-resource.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { Read } from '../../../ui/read.tsx'
import { oneOf, useAddress } from '../../../address/fields.ts'
import { EditForm } from '../form/edit-form.tsx'
import { Group, SelectField } from '../form/fields.tsx'
import { NameField, PausedField } from '../form/own-fields.tsx'
import { TimingFields } from '../form/timing-fields.tsx'
import type { Probe, Trial } from '../types.ts'
import { bodyOfProbe, draftOfProbe, type ProbeDraft, type ProbeType } from './probe-draft.ts'
import { ProbeTrial } from './probe-trial.tsx'
import { TypeFields } from './type-fields.tsx'

const path = '/embedded/probes'
const types = [
  ['http', 'HTTP: a request is answered as expected'],
  ['tcp', 'TCP: a port takes connections'],
  ['dns', 'DNS: a name has records'],
] as const
const targets = {
  http: { label: 'URL', placeholder: 'https://shop.example.com/health' },
  tcp: { label: 'Host and port', placeholder: 'db.example.com:5432' },
  dns: { label: 'Name to resolve', placeholder: 'example.com' },
}

const typeFields = { new: oneOf(Object.keys(targets) as ProbeType[], 'http') }

/** Form of a probe; `?new=tcp` selects the type of a new one. */
export function ProbeForm({ id }: { id: number | null }) {
  return id === null ? <Form probe={null} /> : <Stored id={id} />
}

function Stored({ id }: { id: number }) {
  const probe = useResource<Probe>(`${path}/${id}`)
  return (
    <Read of={probe} heightPx={400}>
      {(value) => <Form key={value.updated_at} probe={value} />}
    </Read>
  )
}

function Form({ probe }: { probe: Probe | null }) {
  const { fields, go } = useAddress(typeFields)
  const [draft, setDraft] = useState<ProbeDraft>(() => draftOfProbe(probe, fields.new))
  const set = (change: Partial<ProbeDraft>) => setDraft({ ...draft, ...change })
  const { label, placeholder } = targets[draft.type]
  const choose = (type: ProbeType) => {
    set({ type })
    go({ new: type }, { replace: true })
  }
  return (
    <EditForm
      back="/collect/probes"
      list={path}
      id={probe?.id ?? null}
      body={() => bodyOfProbe(draft)}
      tryLabel="Try now"
      trialOf={(came: Trial) => <ProbeTrial of={came} />}
    >
      {(problemOf) => (
        <>
          <Group title="What is probed">
            {probe === null && (
              <SelectField
                label="Type"
                value={draft.type}
                options={types}
                onValue={choose}
                problem={problemOf('type')}
              />
            )}
            <TextField
              label={label}
              placeholder={placeholder}
              required
              autofocus
              value={draft.target}
              onValue={(target) => set({ target })}
              problem={problemOf('target')}
            />
            <NameField
              placeholder="shop"
              hint="The label job of its series"
              draft={draft}
              onDraft={set}
              problemOf={problemOf}
            />
          </Group>
          <TypeFields draft={draft} onDraft={set} problemOf={problemOf} />
          <TimingFields draft={draft} onDraft={set} problemOf={problemOf} />
          <Group title="More" isFolded>
            <PausedField hint="It is kept, and does not run" draft={draft} onDraft={set} />
          </Group>
        </>
      )}
    </EditForm>
  )
}
