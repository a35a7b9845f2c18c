import { useState } from 'preact/hooks'
import type { Channels } from '../../../api/history.ts'
import type { BulkRequest, OverviewSlo } from '../../../api/types.ts'
import { useResource } from '../../../api/use-resource.ts'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field, TextField } from '../../../ui/form/field.tsx'
import { changeInBulk, countOf, setTarget } from '../../../slo/bulk-change.ts'

type Props = { chosen: readonly OverviewSlo[]; onClose: () => void }

/** Dialog that asks for the target of the selected SLOs. */
export function AskTarget({ chosen, onClose }: Props) {
  const [text, setText] = useState('')
  const targets = [...new Set(chosen.map(({ target }) => target))].toSorted((a, b) => a - b)
  const target = text.trim() === '' ? NaN : Number(text.replace(',', '.'))
  const isTarget = target > 0 && target <= 100
  const { run, isBusy, problem } = useAction(() => setTarget(chosen, target), {
    check: () => (isTarget ? undefined : 'Must be a number above 0 and at most 100, in percent.'),
    next: onClose,
  })
  return (
    <FormDialog title={`Target of ${countOf(chosen.length)}`} action="Set" {...{ onClose, isBusy }} onSend={run}>
      <TextField
        label="Target, in percent"
        hint={`Now ${targets.length > 4 ? `${targets[0]} to ${targets.at(-1)}` : targets.join(', ')}. Another target counts at once, for the past too.`}
        placeholder="99.9"
        value={text}
        onValue={setText}
        problem={problem}
      />
    </FormDialog>
  )
}

type Rule = NonNullable<BulkRequest['rule']>

const kinds = ['burn_rate_too_fast', 'violation', 'error_budget_exhausted', 'error_budget_low', 'warning'] as const

/** Dialog that asks which channel is notified of the selected SLOs, and of what. */
export function AskRule({ chosen, onClose }: Props) {
  const channels = useResource<Channels>('/notifications/channels').value.value?.data
  const [channel, setChannel] = useState<number | null>(null)
  const [type, setType] = useState<Rule['alert_type']>('burn_rate_too_fast')
  const [severity, setSeverity] = useState('')
  const channelId = channel ?? (channels?.find(({ enabled }) => enabled) ?? channels?.[0])?.id
  const name = channels?.find(({ id }) => id === channelId)?.name
  const hasTiers = type === 'burn_rate_too_fast'
  const { run, isBusy } = useAction(
    async () => {
      if (channelId === undefined) return false
      const rule = {
        channel_id: channelId,
        alert_type: type,
        ...(hasTiers && severity !== '' && { severity: severity as 'page' | 'ticket' }),
      }
      const what = `${name} is notified`
      return changeInBulk({ what, operation: { action: 'add_rules', rule }, slos: chosen })
    },
    { next: (isSaved) => isSaved && onClose() },
  )
  return (
    <FormDialog
      title={`Notify of ${countOf(chosen.length)}`}
      action="Save"
      {...{ onClose, isBusy }}
      onSend={run}
      unavailable={channels?.length === 0 ? 'There is no channel yet. Make one under Notify.' : undefined}
    >
      {channels?.length === 0 && <p>There is no channel yet. Make one under Notify, Channels.</p>}
      <Field label="Channel">
        {(ids) => (
          <select
            {...ids}
            class="input"
            value={String(channelId ?? '')}
            onChange={({ currentTarget }) => setChannel(Number(currentTarget.value))}
          >
            {channels?.map(({ id, name, enabled }) => (
              <option key={id} value={String(id)}>
                {enabled ? name : `${name} (switched off)`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Notified of">
        {(ids) => (
          <select
            {...ids}
            class="input"
            value={type}
            onChange={({ currentTarget }) => setType(currentTarget.value as Rule['alert_type'])}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {ruleWords[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {hasTiers && (
        <Field label="How urgent">
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={severity}
              onChange={({ currentTarget }) => setSeverity(currentTarget.value)}
            >
              <option value="">{`${severityWords['page']} and ${severityWords['ticket']}`}</option>
              <option value="page">{`${severityWords['page']} only`}</option>
              <option value="ticket">{`${severityWords['ticket']} only`}</option>
            </select>
          )}
        </Field>
      )}
    </FormDialog>
  )
}
