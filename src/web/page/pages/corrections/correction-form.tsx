import type { Schemas } from '../../../../../dist/openapi.d.ts'
import { momentText, readMoment } from '../../address/time-text.ts'
import { useAsk } from '../../api/ask.ts'
import { send } from '../../api/client.ts'
import { now } from '../../clock.ts'
import { labelsOf, labelsProblem } from '../../slo/labels-text.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Fields, type FieldSpec } from '../../ui/form/fields.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { zone } from '../../zone.ts'
import { rereadCorrected } from './requests.ts'
import { categoryWords, type Correction, effectWords } from './words.ts'

type Category = Correction['category']
type Repeats = 'once' | 'DAILY' | 'WEEKLY' | 'MONTHLY'
/** `slo`: the id of an SLO as text, or `labels`. `minutes` and `timeZone` count where it repeats. */
type Draft = {
  slo: string
  labels: string
  repeats: Repeats
  from: string
  to: string
  minutes: string
  timeZone: string
  category: Category
  text: string
}

const momentHint = 'now, now-3h, or a date and time such as 2026-11-18 02:00'
const categories = Object.entries(categoryWords) as [Category, string][]

const labelsField: FieldSpec<Draft> = { name: 'labels', label: 'Labels', placeholder: 'team=payments, env=prod' }
const onceFields: readonly FieldSpec<Draft>[] = [
  { name: 'from', label: 'From', hint: momentHint, required: true },
  { name: 'to', label: 'To', hint: momentHint, required: true },
]
const againFields: readonly FieldSpec<Draft>[] = [
  { name: 'from', label: 'First from', hint: momentHint, required: true },
  { name: 'minutes', label: 'For how many minutes', required: true },
  { name: 'timeZone', label: 'Time zone', hint: 'It begins at the same time of day there', required: true },
]
const reasonFields: readonly FieldSpec<Draft>[] = [
  { name: 'category', label: 'Reason', kind: 'select', options: categories },
  { name: 'text', label: 'Text', kind: 'area', rows: 2 },
]

type Props = {
  slos: readonly { id: number; name: string }[]
  /** SLO and times at first; empty: none are chosen. */
  chosen: { slo: string; from: string; to: string }
  onClose: () => void
}

/** Dialog that excludes a time from budgets, with a preview of the effect on them. */
export function CorrectionForm({ slos, chosen, onClose }: Props) {
  const initial: Draft = {
    slo: chosen.slo === '' ? String(slos[0]?.id ?? 'labels') : chosen.slo,
    labels: '',
    repeats: 'once',
    from: momentText(chosen.from === '' ? String(now() - 3_600_000) : chosen.from),
    to: momentText(chosen.to === '' ? String(now()) : chosen.to),
    minutes: '120',
    timeZone: zone.value.timeZone,
    category: 'planned_maintenance',
    text: '',
  }
  const form = useForm({
    initial,
    names: { slo: 'slo_ids', repeats: 'rrule', minutes: 'duration_seconds', timeZone: 'time_zone' },
    check: problemsOf,
    send: (draft) => send('POST', '/corrections', { body: bodyOf(draft) }),
    done: 'The time does not count any more.',
    next: () => {
      onClose()
      rereadCorrected()
    },
  })
  const { slo, repeats } = form.draft
  const covered: readonly FieldSpec<Draft>[] = [
    {
      name: 'slo',
      label: 'SLO',
      kind: 'select',
      options: [...slos.map(({ id, name }) => [String(id), name] as const), ['labels', 'All with labels…']],
    },
    ...(slo === 'labels' ? [labelsField] : []),
    {
      name: 'repeats',
      label: 'How often',
      kind: 'select',
      options: [
        ['once', 'Once'],
        ['DAILY', 'Every day'],
        ['WEEKLY', 'Every week'],
        ['MONTHLY', 'Every month'],
      ],
    },
  ]
  return (
    <FormDialog of={form} title="Leave a time out" action="Leave it out" onClose={onClose}>
      <Fields of={covered} form={form} />
      <Fields of={repeats === 'once' ? onceFields : againFields} form={form} />
      <Fields of={reasonFields} form={form} />
      <Effect of={form.draft} />
    </FormDialog>
  )
}

/** Effect on the budgets of the SLOs that would be covered. */
function Effect({ of: draft }: { of: Draft }) {
  const body = problemsOf(draft) === undefined ? bodyOf(draft) : null
  const { answer } = useAsk<object, Schemas['CorrectionPreview']>(body, { path: '/corrections/preview' })
  const known = answer.value
  if (body === null || known === null) return null
  if (known.slo_count === 0) return <p class="muted">No SLO is like this now.</p>
  return (
    <div role="status">
      {known.slos.slice(0, 5).map((one) => (
        <p key={one.slo_id}>{effectWords(one)}</p>
      ))}
      {known.slo_count > 5 && <p class="muted">{`${known.slo_count} SLOs in all.`}</p>}
    </div>
  )
}

function problemsOf({ slo, labels, repeats, from, to, minutes }: Draft): Record<string, string> | undefined {
  const wrongLabels = slo === 'labels' ? labelsProblem(labels) : undefined
  if (wrongLabels) return wrongLabels
  const atMs = now()
  const wrongTime = `A time is ${momentHint}.`
  const [fromMs, toMs] = [readMoment(from, atMs), readMoment(to, atMs)]
  if (fromMs === null) return { from: wrongTime }
  if (repeats !== 'once') {
    return /^[1-9]\d{0,4}$/.test(minutes.trim()) ? undefined : { minutes: 'A whole number of minutes, 10,080 at most.' }
  }
  if (toMs === null) return { to: wrongTime }
  return toMs <= fromMs ? { to: 'It ends after it begins.' } : undefined
}

function bodyOf({ slo, labels, repeats, from, to, minutes, timeZone, category, text }: Draft): object {
  const iso = (typed: string) => new Date(readMoment(typed, now()) ?? 0).toISOString()
  const times =
    repeats === 'once'
      ? { from: iso(from), to: iso(to) }
      : {
          from: iso(from),
          rrule: `FREQ=${repeats}`,
          duration_seconds: 60 * Number(minutes),
          time_zone: timeZone.trim(),
        }
  const covered = slo === 'labels' ? { labels: labelsOf(labels) ?? {} } : { slo_ids: [Number(slo)] }
  return { ...covered, ...times, category, text: text.trim() }
}
