import { useId, useState } from 'preact/hooks'
import type { Channels, Coverage, RuleGroup, Selector } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import type { Overview } from '../../../api/types.ts'
import { useResource } from '../../../api/use-resource.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field, ProblemText } from '../../../ui/form/field.tsx'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { problemsByField } from '../problems.ts'
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
import { changeRules, createRules, missingOf, needsSlos } from './save-rules.ts'
import { SelectorField } from './selector-field.tsx'
import { SloPicker } from './slo-picker.tsx'

const nines = {
  type: selfMonitoringAlertType,
  hint: 'Its disk is full, evaluations are late… For administrators of the first organization.',
} as const
const fields = ['channel_id', 'alert_type', 'slo_ids', 'selector', 'severity', 'priority', 'min_interval_seconds']

type Props = {
  /** Group of rules to change; undefined: new ones. */
  group: RuleGroup | undefined
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
  const overview = useResource<Overview>('/slos/overview')
  const first = channels.find(({ id }) => id === preferred) ?? channels.find(({ enabled }) => enabled) ?? channels[0]
  const [channelId, setChannelId] = useState(group?.channel_id ?? first?.id ?? 0)
  const [types, setTypes] = useState<ReadonlySet<Kind>>(new Set<Kind>(['burn_rate_too_fast']))
  const [severity, setSeverity] = useState(group?.severity ?? null)
  const [priority, setPriority] = useState(group?.priority ?? 'auto')
  const [interval, setInterval] = useState(group?.min_interval_seconds ?? 0)
  const [slos, setSlos] = useState<ReadonlySet<number>>(() => new Set(chosen))
  const [selector, setSelector] = useState<Selector | null>(
    group ? group.selector : chosen.length > 0 ? null : { all: true },
  )
  const hasTiers = group ? group.alert_type === 'burn_rate_too_fast' : types.has('burn_rate_too_fast')

  const draft = { channelId, types, severity, priority, interval, slos, selector }
  const isOfSlos = group !== undefined || needsSlos(types)

  const saving = useAction(() => (group ? changeRules(group, draft) : createRules(draft)), {
    check: () => missingOf(draft, group),
    done: `${channels.find(({ id }) => id === channelId)?.name}: rules saved.`,
    problemOf: (error) => problemsByField(error, fields),
    ended: () => invalidate('/notifications/'),
    next: onClose,
  })
  const problems = saving.problem ?? {}
  return (
    <FormDialog
      title={group ? `${kindOf(group)}, ${group.channel_name}` : 'New rule'}
      action="Save"
      {...{ onClose, unavailable }}
      onSend={saving.run}
      isBusy={saving.isBusy}
      problem={problems['']}
    >
      {!group && (
        <>
          <Field label="Channel" problem={problems['channel_id']}>
            {(ids) => (
              <select
                {...ids}
                class="input"
                value={String(channelId)}
                onChange={({ currentTarget }) => setChannelId(Number(currentTarget.value))}
              >
                {channels.map(({ id, name, enabled }) => (
                  <option key={id} value={String(id)}>
                    {enabled ? name : `${name} (switched off)`}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Kinds chosen={types} onChosen={setTypes} problem={problems['alert_type']} />
        </>
      )}
      {hasTiers && (
        <Field label="How urgent" problem={problems['severity']}>
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={severity ?? ''}
              onChange={({ currentTarget: { value } }) => setSeverity(value === '' ? null : value)}
            >
              <option value="">{`${severityWords['page']} and ${severityWords['ticket']}`}</option>
              <option value="page">{`${severityWords['page']} only`}</option>
              <option value="ticket">{`${severityWords['ticket']} only`}</option>
            </select>
          )}
        </Field>
      )}
      {isOfSlos && (!group || group.selector) && (
        <SelectorField
          selector={selector}
          onSelector={setSelector}
          slos={overview.value.value?.slos}
          teams={teams}
          mayChoose={!group}
          problem={problems['selector']}
        />
      )}
      {isOfSlos && selector === null && (
        <SloPicker
          coverage={coverage}
          overview={overview.value.value}
          chosen={slos}
          onChosen={setSlos}
          problem={problems['slo_ids']}
        />
      )}
      <div class="side-by-side">
        <Field label="Priority" problem={problems['priority']}>
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={priority}
              onChange={({ currentTarget }) => setPriority(currentTarget.value)}
            >
              {priorities.map((one) => (
                <option key={one} value={one}>
                  {priorityWord(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="How often" problem={problems['min_interval_seconds']}>
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={String(interval)}
              onChange={({ currentTarget }) => setInterval(Number(currentTarget.value))}
            >
              {intervals(interval).map(({ seconds, label }) => (
                <option key={seconds} value={String(seconds)}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </FormDialog>
  )
}

function Kinds(props: {
  chosen: ReadonlySet<Kind>
  onChosen: (chosen: Set<Kind>) => void
  problem: string | undefined
}) {
  const { chosen, onChosen, problem } = props
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
              onChosen(next)
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
