import { SelectField } from '../../../ui/form/select-field.tsx'
import { oneOf, useAddress } from '../../../address/fields.ts'
import { EditForm } from '../form/edit-form.tsx'
import { formOf } from '../form/form-of.tsx'
import { Group } from '../form/group.tsx'
import { nameField, pausedField } from '../form/own-fields.ts'
import { TimingFields } from '../form/timing-fields.tsx'
import type { Probe, Trial } from '../types.ts'
import { bodyOfProbe, draftOfProbe, isAuthStored, probeNames, type ProbeType } from './probe-draft.ts'
import { ProbeTrial } from './probe-trial.tsx'
import { TypeFields } from './type-fields.tsx'

const path = '/embedded/probes'
const types = [
  ['http', 'HTTP: a request is answered as expected'],
  ['icmp', 'Ping: a host replies'],
  ['tcp', 'TCP: a port takes connections'],
  ['dns', 'DNS: a name has records'],
] as const
const targets = {
  http: { label: 'URL', placeholder: 'https://shop.example.com/health' },
  icmp: { label: 'Host or address', placeholder: 'router.example.com' },
  tcp: { label: 'Host and port', placeholder: 'db.example.com:5432' },
  dns: { label: 'Name to resolve', placeholder: 'example.com' },
}

const typeFields = { new: oneOf(Object.keys(targets) as ProbeType[], 'http') }

/** Form of a probe; `?new=tcp` selects the type of a new one. */
export const ProbeForm = formOf<Probe>(path, Form, ({ updated_at }) => updated_at)

function Form({ of: probe }: { of: Probe | null }) {
  const { fields, go } = useAddress(typeFields)
  return (
    <EditForm
      back="/collect/probes"
      list={path}
      id={probe?.id ?? null}
      initial={() => draftOfProbe(probe, fields.new)}
      names={probeNames}
      body={bodyOfProbe}
      tryLabel="Try now"
      trialOf={(answer: Trial) => <ProbeTrial of={answer} />}
    >
      {(form) => (
        <>
          <Group
            title="What is probed"
            form={form}
            of={[
              { name: 'target', ...targets[form.draft.type], required: true, autofocus: true },
              { ...nameField, placeholder: 'shop', hint: 'The label job of its series' },
            ]}
            above={
              probe === null && (
                <SelectField
                  label="Type"
                  options={types}
                  {...form.field('type')}
                  onValue={(type) => {
                    form.set({ type })
                    go({ new: type }, { replace: true })
                  }}
                />
              )
            }
          />
          <TypeFields form={form} isAuthStored={isAuthStored(probe)} />
          <TimingFields form={form} />
          <Group title="More" isFolded form={form} of={[{ ...pausedField, hint: 'It is kept, and does not run' }]} />
        </>
      )}
    </EditForm>
  )
}
