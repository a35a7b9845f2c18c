import { send } from '../../api/client.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Fields, type FieldSpec } from '../../ui/form/fields.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { labelsOf, labelsProblem, labelsText } from '../../slo/labels-text.ts'
import { rereadReports } from './requests.ts'
import type { Schedule } from './types.ts'
import { editLabel, teamLabel } from '../../ui/named-words.ts'

type Named = { id: number; name: string }
type Interval = Schedule['interval']

/** SLOs of a report. `scope`: `all`, `labels` for those with the labels, or the id of a team as text. */
type Scope = { scope: string; labels: string }
type ReportDraft = Scope & { interval: Interval; day: string; timeZone: string }
type ScheduleDraft = Scope & { name: string; interval: Interval; timeZone: string; channelIds: number[] }

const intervals: readonly (readonly [value: Interval, label: string])[] = [
  ['week', 'Week'],
  ['month', 'Month'],
  ['quarter', 'Quarter'],
]

const zoneField = {
  name: 'timeZone',
  label: 'Time zone',
  hint: 'Empty: that of the organization',
  placeholder: 'Europe/Zurich',
} as const

function scopeFields({ scope }: Scope, teams: readonly Named[]): FieldSpec<Scope>[] {
  const options = [
    ['all', 'All SLOs'],
    ['labels', 'Those with labels'],
    ...teams.map(({ id, name }) => [String(id), teamLabel(name)] as const),
  ] as const
  const labels: FieldSpec<Scope> = { name: 'labels', label: 'Labels', placeholder: 'team=payments, env=prod' }
  return [{ name: 'scope', label: 'SLOs', kind: 'select', options }, ...(scope === 'labels' ? [labels] : [])]
}

/** Dialog that asks for a report about a period that has ended. */
export function ReportForm({ teams, onClose }: { teams: readonly Named[]; onClose: () => void }) {
  const initial: ReportDraft = { interval: 'month', day: '', timeZone: '', scope: 'all', labels: '' }
  const form = useForm({
    initial,
    names: { timeZone: 'time_zone', scope: 'selector' },
    check: problemsOf,
    send: ({ interval, day, ...draft }: ReportDraft) =>
      send('POST', '/reports', {
        body: { interval, ...(day.trim() !== '' && { day: day.trim() }), ...commonOf(draft) },
      }),
    done: 'The report is being made.',
    next: () => {
      onClose()
      rereadReports()
    },
  })
  const periodFields: readonly FieldSpec<ReportDraft>[] = [
    { name: 'interval', label: 'About a', kind: 'select', options: intervals },
    {
      name: 'day',
      label: 'A day of it',
      hint: 'Empty: the last one that has ended',
      placeholder: '2026-10-01',
      maxLength: 10,
    },
    zoneField,
  ]
  return (
    <FormDialog of={form} title="Make a report" action="Make it" onClose={onClose}>
      <Fields of={periodFields} form={form} />
      <Fields of={scopeFields(form.draft, teams) as readonly FieldSpec<ReportDraft>[]} form={form} />
    </FormDialog>
  )
}

type ScheduleProps = { of?: Schedule; teams: readonly Named[]; channels: readonly Named[]; onClose: () => void }

/** Dialog that creates a schedule, or changes `of`. */
export function ScheduleForm({ of, teams, channels, onClose }: ScheduleProps) {
  const form = useForm({
    initial: of ? draftOf(of) : emptySchedule,
    names: { timeZone: 'time_zone', scope: 'selector', channelIds: 'channel_ids' },
    check: (draft: ScheduleDraft) =>
      draft.name.trim() === '' ? { name: 'A schedule has a name.' } : problemsOf(draft),
    send: ({ name, interval, channelIds, ...draft }: ScheduleDraft) => {
      const body = { name: name.trim(), interval, channel_ids: channelIds, ...commonOf(draft) }
      return of ? send('PATCH', `/reports/schedules/${of.id}`, { body }) : send('POST', '/reports/schedules', { body })
    },
    done: 'Saved.',
    next: () => {
      onClose()
      rereadReports()
    },
  })
  const fields: readonly FieldSpec<ScheduleDraft>[] = [
    { name: 'name', label: 'Name', required: true, maxLength: 200, placeholder: 'Monthly report' },
    { name: 'interval', label: 'After each', kind: 'select', options: intervals },
    zoneField,
  ]
  return (
    <FormDialog
      of={form}
      title={of ? editLabel(of.name) : 'New schedule'}
      action={of ? 'Save' : 'Add'}
      onClose={onClose}
    >
      <Fields of={fields} form={form} />
      <Fields of={scopeFields(form.draft, teams) as readonly FieldSpec<ScheduleDraft>[]} form={form} />
      <ChannelChoice of={channels} {...form.field('channelIds')} />
    </FormDialog>
  )
}

type ChoiceProps = {
  of: readonly Named[]
  value: number[]
  problem?: string | undefined
  onValue: (ids: number[]) => void
}

/** Channels through which the report is sent. */
function ChannelChoice({ of, value, problem, onValue }: ChoiceProps) {
  return (
    <fieldset class="report-channels stack">
      <legend>Sent through</legend>
      {of.length === 0 && <p class="muted">There is no channel yet; the report is only listed here.</p>}
      {of.map(({ id, name }) => (
        <label key={id} class="check-field">
          <input
            type="checkbox"
            checked={value.includes(id)}
            onChange={({ currentTarget }) =>
              onValue(currentTarget.checked ? [...value, id] : value.filter((one) => one !== id))
            }
          />
          <span>{name}</span>
        </label>
      ))}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

const emptySchedule: ScheduleDraft = {
  name: 'Monthly report',
  interval: 'month',
  timeZone: '',
  scope: 'all',
  labels: '',
  channelIds: [],
}

function draftOf({ name, interval, time_zone, selector, channel_ids }: Schedule): ScheduleDraft {
  const scope = selector.labels ? 'labels' : selector.team_id === undefined ? 'all' : String(selector.team_id)
  return {
    name,
    interval,
    timeZone: time_zone,
    scope,
    labels: labelsText(selector.labels ?? {}),
    channelIds: channel_ids,
  }
}

function problemsOf({ scope, labels }: Scope): Record<string, string> | undefined {
  return scope === 'labels' ? labelsProblem(labels) : undefined
}

/** Part of the body that both forms have. */
function commonOf({ scope, labels, timeZone }: Scope & { timeZone: string }) {
  const selector =
    scope === 'all'
      ? { all: true }
      : scope === 'labels'
        ? { labels: labelsOf(labels) ?? {} }
        : { team_id: Number(scope) }
  return { selector, ...(timeZone.trim() !== '' && { time_zone: timeZone.trim() }) }
}
