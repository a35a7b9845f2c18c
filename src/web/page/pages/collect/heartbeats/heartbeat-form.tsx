import { useLocation } from 'preact-iso/router'
import { useId } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { zone } from '../../../zone.ts'
import { LinkButton } from '../../../ui/button.tsx'
import type { FieldSpec } from '../../../ui/form/fields.tsx'
import { Form as FormFrame } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { ZoneOptions } from '../../../ui/form/zone-options.tsx'
import { formOf } from '../form/form-of.tsx'
import { Group } from '../form/group.tsx'
import { nameField } from '../form/own-fields.ts'
import type { Heartbeat } from '../types.ts'
import { bodyOfHeartbeat, draftOfHeartbeat, type HeartbeatDraft, heartbeatNames } from './heartbeat-draft.ts'
import { heartbeatPath, heartbeats } from './path.ts'

const kinds = [
  ['period', 'A period after each report'],
  ['cron', 'The times of a cron expression'],
] as const

/** Form of a heartbeat; after saving, its page has the lines to copy. */
export const HeartbeatForm = formOf<Heartbeat>(heartbeats, Form, ({ id }) => id)

function Form({ of }: { of: Heartbeat | null }) {
  const { route } = useLocation()
  const zonesId = useId()
  const form = useForm({
    initial: () => draftOfHeartbeat(of, zone.value.timeZone),
    names: heartbeatNames,
    async send(draft) {
      const [method, path] = of === null ? ['POST', heartbeats] : ['PUT', `${heartbeats}/${of.id}`]
      const saved = await send<Heartbeat>(method, path, { body: bodyOfHeartbeat(draft) })
      invalidate(heartbeats)
      return saved
    },
    next: ({ id }) => route(link(heartbeatPath(id))),
  })
  const schedule: readonly FieldSpec<HeartbeatDraft>[] =
    form.draft.by === 'period'
      ? [{ name: 'period', label: 'Period', hint: 'Such as 5 min, 1 h or 1 d', required: true }]
      : [
          { name: 'cron', label: 'Cron expression', hint: 'Five fields, or @daily', required: true, spellcheck: false },
          { name: 'timeZone', label: 'Time zone', list: zonesId, required: true, spellcheck: false },
        ]
  return (
    <FormFrame
      of={form}
      class="card collect-form"
      action="Save"
      unavailable={whyNot('administer')}
      more={
        <LinkButton kind="quiet" href={link(of === null ? '/collect/heartbeats' : heartbeatPath(of.id))}>
          Cancel
        </LinkButton>
      }
    >
      <Group
        title="The job, and when it is due"
        form={form}
        of={[
          { ...nameField, placeholder: 'Nightly backup', hint: 'The label job of its series', autofocus: true },
          { name: 'by', kind: 'select', label: 'Schedule', options: kinds },
          ...schedule,
          {
            name: 'grace',
            label: 'Grace',
            hint: 'A run that has not reported this long after it is due is missed; at least 1 min',
            required: true,
          },
        ]}
      >
        <ZoneOptions id={zonesId} />
      </Group>
      <Group
        title="More"
        isFolded
        form={form}
        of={[
          {
            name: 'slug',
            label: 'Slug',
            hint: 'For addresses with the key of the organization; empty: made of the name',
          },
          {
            name: 'labels',
            kind: 'area',
            label: 'Labels',
            hint: 'Added to every series, one a line, such as rack=b',
            isCode: true,
          },
        ]}
      />
    </FormFrame>
  )
}
