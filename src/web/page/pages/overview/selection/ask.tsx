import { useState } from 'preact/hooks'
import type { Channels } from '../../../api/history.ts'
import type { BulkRequest, OverviewSlo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { severities } from '../../../slo/recipients/severities.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { changeInBulk, setTarget } from '../../../slo/bulk-change.ts'
import { notifyTitle, targetHint, targetTitle } from './words.ts'
import { notifyWords } from '../../../slo/bulk-words.ts'
import { channelLabel } from '../../../ui/named-words.ts'

type Props = { chosen: readonly OverviewSlo[]; onClose: () => void }

/** Dialog that asks for the target of the selected SLOs. */
export function AskTarget({ chosen, onClose }: Props) {
  const targets = [...new Set(chosen.map(({ target }) => target))].toSorted((a, b) => a - b)
  const form = useForm({
    initial: { target: '' },
    check: ({ target }) =>
      isTarget(numberIn(target)) ? undefined : { target: 'Must be a number above 0 and at most 100, in percent.' },
    send: ({ target }) => setTarget(chosen, numberIn(target)),
    next: onClose,
  })
  return (
    <FormDialog of={form} title={targetTitle(chosen.length)} action="Set" onClose={onClose}>
      <TextField label="Target, in percent" hint={targetHint(targets)} placeholder="99.9" {...form.field('target')} />
    </FormDialog>
  )
}

function numberIn(text: string): number {
  return text.trim() === '' ? NaN : Number(text.replace(',', '.'))
}

function isTarget(target: number): boolean {
  return target > 0 && target <= 100
}

type Rule = NonNullable<BulkRequest['rule']>

const kinds = ['burn_rate_too_fast', 'violation', 'error_budget_exhausted', 'error_budget_low', 'warning'] as const

/** Dialog that asks which channel is notified of the selected SLOs, and of what. */
export function AskRule({ chosen, onClose }: Props) {
  const channels = useRead<Channels>('/notifications/channels').value.value?.data
  const [channel, setChannel] = useState<number | null>(null)
  const [type, setType] = useState<Rule['alert_type']>('burn_rate_too_fast')
  const [severity, setSeverity] = useState<'page' | 'ticket' | null>(null)
  const channelId = channel ?? (channels?.find(({ enabled }) => enabled) ?? channels?.[0])?.id
  const name = channels?.find(({ id }) => id === channelId)?.name
  const hasTiers = type === 'burn_rate_too_fast'
  const sending = useAction(
    async () => {
      if (channelId === undefined || name === undefined) return false
      const rule = {
        channel_id: channelId,
        alert_type: type,
        ...(hasTiers && severity && { severity }),
      }
      return changeInBulk({ words: notifyWords(name), operation: { action: 'add_rules', rule }, slos: chosen })
    },
    { next: (isSaved) => isSaved && onClose() },
  )
  return (
    <FormDialog
      title={notifyTitle(chosen.length)}
      action="Save"
      of={sending}
      onClose={onClose}
      unavailable={channels?.length === 0 ? 'There is no channel yet. Make one under Notify.' : undefined}
    >
      {channels?.length === 0 && <p>There is no channel yet. Make one under Notify, Channels.</p>}
      <SelectField
        label="Channel"
        value={channelId ?? null}
        options={(channels ?? []).map(({ id, name, enabled }) => [id, channelLabel({ name, enabled })])}
        onValue={setChannel}
      />
      <SelectField
        label="Notified of"
        value={type}
        options={kinds.map((kind) => [kind, ruleWords[kind] ?? kind])}
        onValue={setType}
      />
      {hasTiers && <SelectField label="How urgent" value={severity} options={severities} onValue={setSeverity} />}
    </FormDialog>
  )
}
