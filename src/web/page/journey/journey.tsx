import { useLocation } from 'preact-iso/router'
import { link } from '../address/base.ts'
import { whyNot } from '../api/rights.ts'
import { send } from '../api/client.ts'
import type { Slo } from '../api/types.ts'
import { methodWords, unknownMemberWords } from '../slo/journey-words.ts'
import { Fields, type FieldSpec } from '../ui/form/fields.tsx'
import { Form } from '../ui/form/form.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { Page } from '../ui/page.tsx'
import { type ChosenMember, MemberPicker } from './member-picker.tsx'
import { editLabel, sloLabel } from '../ui/named-words.ts'

type Draft = {
  name: string
  description: string
  target: string
  time_window: string
  method: keyof typeof methodWords
  on_unknown_member: keyof typeof unknownMemberWords
  members: readonly ChosenMember[]
}

const entries = <Key extends string>(words: Record<Key, string>) => Object.entries(words) as [Key, string][]

const generalFields: readonly FieldSpec<Pick<Draft, 'name' | 'description' | 'target' | 'time_window' | 'method'>>[] = [
  { name: 'name', label: 'Name', required: true, maxLength: 200 },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'target', label: 'Target, in percent', required: true },
  { name: 'time_window', label: 'Window', hint: 'such as 30d, 4w, 24h, month or quarter', required: true },
  { name: 'method', label: 'Its SLI is', kind: 'select', options: entries(methodWords) },
]

const unknownMemberFields: readonly FieldSpec<Pick<Draft, 'on_unknown_member'>>[] = [
  {
    name: 'on_unknown_member',
    label: 'If a member is deleted, paused or not measured',
    kind: 'select',
    options: entries(unknownMemberWords),
  },
]

const emptyDraft: Draft = {
  name: '',
  description: '',
  target: '99.5',
  time_window: '30d',
  method: 'weighted',
  on_unknown_member: 'unknown',
  members: [],
}

/** Form of a journey: a composite SLO over others. `names`: of the members of the SLO that is edited. */
export function JourneyForm({ of, names }: { of?: Slo; names?: ReadonlyMap<number, string> }) {
  const { route } = useLocation()
  const form = useForm({
    initial: () => (of ? draftOf(of, names) : emptyDraft),
    names: { members: ['composite.members', 'composite'], method: 'composite.method' },
    check: problemsOf,
    send: (draft) => save(draft, of),
    done: of ? 'Saved.' : 'The journey is created.',
    next: (id) => route(link(`/slos/${id}`)),
  })
  return (
    <Page
      title={of ? editLabel(of.name) : 'New journey'}
      class="journey-form"
      crumbs={[['/', 'Overview'], ...(of ? ([[`/slos/${of.id}`, of.name]] as const) : [])]}
    >
      <Form of={form} action={of ? 'Save' : 'Create'} unavailable={whyNot('edit')}>
        <Fields of={generalFields} form={form} />
        <MemberPicker {...form.field('members')} isWeighted={form.draft.method === 'weighted'} ownId={of?.id ?? null} />
        <Fields of={unknownMemberFields} form={form} />
      </Form>
    </Page>
  )
}

function draftOf({ name, description, target, time_window, composite }: Slo, names?: ReadonlyMap<number, string>) {
  const { method, on_unknown_member, members = [] } = composite ?? {}
  return {
    ...emptyDraft,
    name,
    description,
    target: String(target),
    time_window,
    method: (method ?? emptyDraft.method) as Draft['method'],
    on_unknown_member: (on_unknown_member ?? emptyDraft.on_unknown_member) as Draft['on_unknown_member'],
    members: members.map(({ slo_id: id, weight }) => {
      return { id, name: names?.get(id) ?? sloLabel(id), weight: String(weight) }
    }),
  }
}

function problemsOf({ members, method, target }: Draft): Record<string, string> | undefined {
  if (!(Number(target) > 0)) return { target: 'A target is a number above 0 and at most 100.' }
  if (members.length < 2 || members.length > 20) return { 'composite.members': 'A journey has 2 to 20 members.' }
  const isWrong = method === 'weighted' && members.some(({ weight }) => !(Number(weight) > 0))
  return isWrong ? { 'composite.members': 'A weight is a number above 0.' } : undefined
}

async function save(draft: Draft, of: Slo | undefined): Promise<number> {
  const { name, description, target, time_window, method, on_unknown_member } = draft
  const members = draft.members.map(({ id: slo_id, weight }) => {
    return method === 'weighted' ? { slo_id, weight: Number(weight) } : { slo_id }
  })
  const composite = { method, members, on_unknown_member }
  const body = { name, description, target: Number(target), time_window, composite }
  if (of) {
    await send('PUT', `/slos/${of.id}`, { body })
    return of.id
  }
  const { id } = await send<{ id: number }>('POST', '/slos', { body: { ...body, metric_type: 'availability' } })
  return id
}
