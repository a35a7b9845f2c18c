import { useRef, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { RuleGroup } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { problemsByField } from '../problems.ts'
import { bodyOf, kindOf } from '../rules/rule-words.ts'
import { Placeholders } from './placeholders.tsx'
import { TemplatePreviewPane } from './template-preview.tsx'
import { type Texts, useTemplatePreview } from './use-template-preview.ts'

type Props = {
  kind: string
  /** Rules of this kind; a group has the same texts, channel and settings. */
  groups: readonly RuleGroup[]
  /** Group whose texts are shown at first. */
  first: RuleGroup | undefined
}

type Input = HTMLInputElement | HTMLTextAreaElement

/** Editor for the texts of a kind of alert, with a preview and the choice of rules. */
export function TemplateEditor({ kind, groups, first }: Props) {
  const [subject, setSubject] = useState(first?.subject ?? '')
  const [message, setMessage] = useState(first?.message ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => new Set(first?.rule_ids))
  const last = useRef<Input | null>(null)
  const texts: Texts = { subject: emptyAsNull(subject), message: emptyAsNull(message) }
  const { preview, problems, isReading } = useTemplatePreview(kind, texts)
  const defaults = preview?.defaults
  const isDefault = subject === '' && message === ''
  const targets = groups.filter((group) => isAmong(group, chosen))

  const insert = (name: string) => {
    const input = last.current
    if (!input) return
    const text = `{{${name}}}`
    input.setRangeText(text, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end')
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
  }
  const settings = () => targets.map((group) => bodyOf({ ...group, ...texts }, group.slo_ids))
  const save = useAction(() => send('PUT', '/notifications/rules/settings', { body: { settings: settings() } }), {
    done: isDefault ? 'The default texts are in use again.' : 'Texts saved.',
    failed: 'Not saved.',
    problemOf: (error) => problemsByField(error, ['subject', 'message']),
    ended: () => invalidate('/notifications/rules'),
  })
  const said = { ...save.problem, ...problems }
  const unavailable =
    whyNot('edit') ??
    (groups.length === 0
      ? 'There is no rule of this kind.'
      : targets.length === 0
        ? 'Choose the rules that the texts are for.'
        : undefined)
  const keep = (ids: { id: string }) => ({
    ...ids,
    class: 'input',
    onFocus: ({ currentTarget }: { currentTarget: Input }) => (last.current = currentTarget),
  })
  return (
    <div class="template">
      <section class="card section">
        <h2>Texts</h2>
        <Field label="Subject" hint="One line. Empty: the default." problem={said['subject']}>
          {(ids) => (
            <input
              {...keep(ids)}
              value={subject}
              maxLength={500}
              placeholder={defaults?.subject}
              onInput={({ currentTarget }) => setSubject(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Message" hint="Empty: the default." problem={said['message']}>
          {(ids) => (
            <textarea
              {...keep(ids)}
              rows={8}
              value={message}
              maxLength={20_000}
              placeholder={defaults?.message}
              onInput={({ currentTarget }) => setMessage(currentTarget.value)}
            />
          )}
        </Field>
        {said[''] !== undefined && <p class="problem">{said['']}</p>}
        <Placeholders of={preview?.placeholders ?? []} onChoose={insert} />
        <Targets groups={groups} chosen={chosen} onChosen={setChosen} />
        <div class="head-actions">
          <Button kind="primary" unavailable={unavailable} isBusy={save.isBusy} onClick={save.run}>
            Save
          </Button>
          <Button
            icon="undo-2"
            unavailable={isDefault ? 'The default texts are shown.' : undefined}
            onClick={() => {
              setSubject('')
              setMessage('')
            }}
          >
            Default texts
          </Button>
        </div>
      </section>
      <TemplatePreviewPane of={preview} isReading={isReading} />
    </div>
  )
}

type TargetsProps = {
  groups: readonly RuleGroup[]
  /** Rule ids, since rules may be grouped differently after a change. */
  chosen: ReadonlySet<number>
  onChosen: (chosen: ReadonlySet<number>) => void
}

/** Rules of the kind; each shows if it has its own texts. */
function Targets({ groups, chosen, onChosen }: TargetsProps) {
  if (groups.length === 0) {
    return (
      <p class="muted">
        There is no rule of this kind yet, so these texts are for nobody.{' '}
        <a href={link('/notify/rules?new=1')}>New rule</a>
      </p>
    )
  }
  return (
    <fieldset class="targets">
      <legend>Rules with these texts</legend>
      {groups.map((group) => {
        const { rule_ids: ids } = group
        const others = [...chosen].filter((id) => !ids.includes(id))
        const isOwn = group.subject !== null || group.message !== null
        return (
          <label key={ids[0]} class="choice">
            <input
              type="checkbox"
              checked={isAmong(group, chosen)}
              onChange={({ currentTarget }) => onChosen(new Set(currentTarget.checked ? [...others, ...ids] : others))}
            />
            <span>
              {group.channel_name}: {kindOf(group)},{' '}
              {group.slo_ids.length === 1 ? '1 SLO' : `${group.slo_ids.length} SLOs`}
              <span class="muted"> · {isOwn ? 'own texts' : 'default texts'}</span>
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}

function isAmong({ rule_ids }: RuleGroup, chosen: ReadonlySet<number>): boolean {
  return rule_ids.some((id) => chosen.has(id))
}

function emptyAsNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
