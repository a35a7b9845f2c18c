import { useId } from 'preact/hooks'
import type { Channels, Coverage, RuleGroup } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import type { Overview } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { ProblemText } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { type Bound, useForm } from '../../../ui/form/use-form.ts'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { severities } from '../../../slo/recipients/severities.ts'
import {
  intervals,
  type Kind,
  kindOf,
  kinds,
  priorities,
  priorityWord,
  selfMonitoringAlertType,
  selfMonitoringTitle,
} from './rule-words.ts'
import { changeRules, createRules, missingOf, needsSlos, type RuleDraft } from './save-rules.ts'
import { SelectorField } from './selector-field.tsx'
import { SloPicker } from './slo-picker.tsx'
import { rulesSavedText, ruleTitle } from './words.ts'
import { channelLabel } from '../../../ui/named-words.ts'

/** Kind of alerts that only administrators are offered. */
const nines = {
  type: selfMonitoringAlertType,
  hint: 'A certificate expires soon; in the first organization, the disk of nines is full, evaluations are late… For administrators.',
} as const
/** Fields of the API whose problems are shown at each value of the form. */
const names = { channelId: 'channel_id', types: 'alert_type', intervalSeconds: 'min_interval_seconds', slos: 'slo_ids' }

type Props = {
  /** Group of rules to change; undefined: new ones. */
  group: RuleGroup | undefined
  /** Ids of the SLOs that are chosen at first. */
  chosen: readonly number[]
  /** Id of the channel that is selected at first. */
  preferred: number
  coverage: Coverage
  channels: Channels['data']
  teams: readonly { id: number; name: string }[]
  unavailable: string | undefined
  onClose: () => void
}

/** Form of a rule: the channel, the kinds of alerts, and the SLOs. */
export function RuleForm({ group, chosen, preferred, coverage, channels, teams, unavailable, onClose }: Props) {
  const overview = useRead<Overview>('/slos/overview')
  const first = channels.find(({ id }) => id === preferred) ?? channels.find(({ enabled }) => enabled) ?? channels[0]
  const form = useForm({
    initial: (): RuleDraft => ({
      channelId: group?.channel_id ?? first?.id ?? 0,
      types: new Set<Kind>(['burn_rate_too_fast']),
      severity: group?.severity ?? null,
      priority: group?.priority ?? 'auto',
      intervalSeconds: group?.min_interval_seconds ?? 0,
      slos: new Set(chosen),
      selector: group ? group.selector : chosen.length > 0 ? null : { all: true },
    }),
    names,
    check: (draft) => missingOf(draft, group),
    async send(draft) {
      await (group ? changeRules(group, draft) : createRules(draft))
      return draft.channelId
    },
    done: (channelId) => rulesSavedText(channels.find(({ id }) => id === channelId)?.name ?? ''),
    ended: () => invalidate('/notifications/'),
    next: onClose,
  })
  const { types, selector, intervalSeconds } = form.draft
  const hasSeverity = group ? group.alert_type === 'burn_rate_too_fast' : types.has('burn_rate_too_fast')
  const isOfSlos = group !== undefined || needsSlos(types)
  return (
    <FormDialog
      of={form}
      title={group ? ruleTitle(kindOf(group), group.channel_name) : 'New rule'}
      action="Save"
      {...{ onClose, unavailable }}
    >
      {!group && (
        <>
          <SelectField
            label="Channel"
            options={channels.map(({ id, name, enabled }) => [id, channelLabel({ name, enabled })])}
            {...form.field('channelId')}
          />
          <Kinds {...form.field('types')} />
        </>
      )}
      {hasSeverity && <SelectField label="How urgent" options={severities} {...form.field('severity')} />}
      {isOfSlos && (!group || group.selector) && (
        <SelectorField slos={overview.value.value?.slos} teams={teams} mayChoose={!group} {...form.field('selector')} />
      )}
      {isOfSlos && selector === null && (
        <SloPicker coverage={coverage} overview={overview.value.value} {...form.field('slos')} />
      )}
      <div class="grid">
        <SelectField
          label="Priority"
          options={priorities.map((one) => [one, priorityWord(one)])}
          {...form.field('priority')}
        />
        <SelectField
          label="How often"
          options={intervals(intervalSeconds).map(({ seconds, label }) => [seconds, label])}
          {...form.field('intervalSeconds')}
        />
      </div>
    </FormDialog>
  )
}

function Kinds({ value: chosen, onValue, problem }: Bound<ReadonlySet<Kind>>) {
  const id = useId()
  return (
    <fieldset class="field" aria-describedby={problem && `${id}-problem`}>
      <legend>Notified of</legend>
      {[...kinds, ...(whyNot('administer') ? [] : [nines])].map(({ type, hint }) => (
        <label key={type} class="choice kind">
          <input
            type="checkbox"
            aria-invalid={problem === undefined ? undefined : true}
            checked={chosen.has(type)}
            onChange={({ currentTarget }) => {
              const next = new Set(chosen)
              if (currentTarget.checked) next.add(type)
              else next.delete(type)
              onValue(next)
            }}
          />
          <span>
            {ruleWords[type] ?? selfMonitoringTitle} <span class="muted">{hint}</span>
          </span>
        </label>
      ))}
      <ProblemText id={`${id}-problem`} of={problem} />
    </fieldset>
  )
}
