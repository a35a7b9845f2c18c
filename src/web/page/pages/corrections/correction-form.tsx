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
import {
  asBeforeLabel,
  categoryWords,
  type Correction,
  effectWords,
  inAllSentence,
  minutesProblem,
  timeProblem,
} from './words.ts'

type Category = Correction['category']
/**
 * `slo`: the id of an SLO as text, or `labels`. `repeats`: `once`, a frequency such as `DAILY`, or a whole rule. `minutes` and `timeZone`
 * count where it repeats.
 */
type Draft = {
  slo: string
  labels: string
  repeats: string
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
const recurringFields: readonly FieldSpec<Draft>[] = [
  { name: 'from', label: 'First from', hint: momentHint, required: true },
  { name: 'minutes', label: 'For how many minutes', required: true },
  { name: 'timeZone', label: 'Time zone', hint: 'It begins at the same time of day there', required: true },
]
const reasonFields: readonly FieldSpec<Draft>[] = [
  { name: 'category', label: 'Reason', kind: 'select', options: categories },
  { name: 'text', label: 'Text', kind: 'area', rows: 2 },
]

const frequencies: readonly (readonly [string, string])[] = [
  ['once', 'Once'],
  ['DAILY', 'Every day'],
  ['WEEKLY', 'Every week'],
  ['MONTHLY', 'Every month'],
]

type Chosen = { slo: string; from: string; to: string }

type Props = {
  slos: readonly { id: number; name: string }[]
  /** Initial SLO and times, each empty if it is not chosen yet; or the correction to change. */
  of: Chosen | Correction
  onClose: () => void
}

/** Dialog that excludes a time from budgets, with a preview of the effect on them, or changes a correction. */
export function CorrectionForm({ slos, of, onClose }: Props) {
  const existing = 'id' in of ? of : null
  const form = useForm({
    initial: 'id' in of ? draftOf(of) : newDraft(of, slos[0]?.id),
    names: { slo: 'slo_ids', repeats: 'rrule', minutes: 'duration_seconds', timeZone: 'time_zone' },
    check: problemsOf,
    send: (draft) =>
      existing === null
        ? send('POST', '/corrections', { body: { ...scopeOf(draft), ...timesOf(draft) } })
        : send('PATCH', `/corrections/${existing.id}`, { body: timesOf(draft) }),
    done: existing === null ? 'The time does not count any more.' : 'Saved. The budgets are those of the new times.',
    next: () => {
      onClose()
      rereadCorrected()
    },
  })
  const { slo, repeats } = form.draft
  const rule = existing?.rrule ?? null
  const repeatsField: FieldSpec<Draft> = {
    name: 'repeats',
    label: 'How often',
    kind: 'select',
    options: rule === null || frequencyOf(rule) !== rule ? frequencies : [...frequencies, [rule, asBeforeLabel(rule)]],
  }
  const coveredFields: readonly FieldSpec<Draft>[] = [
    {
      name: 'slo',
      label: 'SLO',
      kind: 'select',
      options: [...slos.map(({ id, name }) => [String(id), name] as const), ['labels', 'All with labels…']],
    },
    ...(slo === 'labels' ? [labelsField] : []),
  ]
  return (
    <FormDialog
      of={form}
      title={existing === null ? 'Leave a time out' : 'Change the correction'}
      action={existing === null ? 'Leave it out' : 'Save'}
      onClose={onClose}
    >
      {existing === null && <Fields of={coveredFields} form={form} />}
      <Fields of={[repeatsField]} form={form} />
      <Fields of={repeats === 'once' ? onceFields : recurringFields} form={form} />
      <Fields of={reasonFields} form={form} />
      {existing === null && <Effect of={form.draft} />}
    </FormDialog>
  )
}

function newDraft({ slo, from, to }: Chosen, firstId: number | undefined): Draft {
  return {
    slo: slo === '' ? String(firstId ?? 'labels') : slo,
    labels: '',
    repeats: 'once',
    from: momentText(from === '' ? String(now() - 3_600_000) : from),
    to: momentText(to === '' ? String(now()) : to),
    minutes: '120',
    timeZone: zone.value.timeZone,
    category: 'planned_maintenance',
    text: '',
  }
}

function draftOf({ from, to, rrule, duration_seconds, time_zone, category, text }: Correction): Draft {
  const momentTextOf = (time: string) => momentText(String(Date.parse(time)))
  return {
    slo: '',
    labels: '',
    repeats: rrule === null ? 'once' : frequencyOf(rrule),
    from: momentTextOf(from),
    to: momentTextOf(to ?? from),
    minutes: String((duration_seconds ?? 7200) / 60),
    timeZone: time_zone ?? zone.value.timeZone,
    category,
    text,
  }
}

/** Frequency of a rule that has nothing else; otherwise the rule. */
function frequencyOf(rrule: string): string {
  return /^FREQ=(DAILY|WEEKLY|MONTHLY)$/.exec(rrule)?.[1] ?? rrule
}

/** Effect on the budgets of the SLOs that would be covered. */
function Effect({ of: draft }: { of: Draft }) {
  const body = problemsOf(draft) === undefined ? { ...scopeOf(draft), ...timesOf(draft) } : null
  const { answer } = useAsk<object, Schemas['CorrectionPreview']>(body, { path: '/corrections/preview' })
  const known = answer.value
  if (body === null || known === null) return null
  if (known.slo_count === 0) return <p class="muted">No SLO is like this now.</p>
  return (
    <div role="status">
      {known.slos.slice(0, 5).map((one) => (
        <p key={one.slo_id}>{effectWords(one)}</p>
      ))}
      {known.slo_count > 5 && <p class="muted">{inAllSentence(known.slo_count)}</p>}
    </div>
  )
}

function problemsOf({ slo, labels, repeats, from, to, minutes }: Draft): Record<string, string> | undefined {
  const wrongLabels = slo === 'labels' ? labelsProblem(labels) : undefined
  if (wrongLabels) return wrongLabels
  const atMs = now()
  const wrongTime = timeProblem(momentHint)
  const [fromMs, toMs] = [readMoment(from, atMs), readMoment(to, atMs)]
  if (fromMs === null) return { from: wrongTime }
  if (repeats !== 'once') {
    const wrongMinutes = minutesProblem(minutes)
    return wrongMinutes === undefined ? undefined : { duration_seconds: wrongMinutes }
  }
  if (toMs === null) return { to: wrongTime }
  return toMs <= fromMs ? { to: 'It ends after it begins.' } : undefined
}

function scopeOf({ slo, labels }: Draft): object {
  return slo === 'labels' ? { labels: labelsOf(labels) ?? {} } : { slo_ids: [Number(slo)] }
}

function timesOf({ repeats, from, to, minutes, timeZone, category, text }: Draft): object {
  const iso = (typed: string) => new Date(readMoment(typed, now()) ?? 0).toISOString()
  const times =
    repeats === 'once'
      ? { from: iso(from), to: iso(to) }
      : {
          from: iso(from),
          rrule: repeats.includes('=') ? repeats : `FREQ=${repeats}`,
          duration_seconds: 60 * Number(minutes),
          time_zone: timeZone.trim(),
        }
  return { ...times, category, text: text.trim() }
}
