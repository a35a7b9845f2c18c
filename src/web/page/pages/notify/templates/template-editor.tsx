import { useRef } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { RuleGroup } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { OtherProblems } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { bodyOf, kindOf } from '../rules/rule-words.ts'
import { Placeholders } from './placeholders.tsx'
import { TemplatePreviewPane } from './template-preview.tsx'
import { type Texts, useTemplatePreview } from './use-template-preview.ts'
import { plural } from '../../../format.ts'

type Props = {
  kind: string
  /** Rules of this kind; those of a group have the same texts, channel and settings. */
  groups: readonly RuleGroup[]
  /** Group whose texts are shown at first. */
  first: RuleGroup | undefined
}

type Draft = { subject: string; message: string; chosen: ReadonlySet<number> }
type Input = HTMLInputElement | HTMLTextAreaElement

/** Editor for the texts of a kind of alert, with a preview and the choice of rules. */
export function TemplateEditor({ kind, groups, first }: Props) {
  const lastFocused = useRef<Input | null>(null)
  const form = useForm({
    initial: (): Draft => ({
      subject: first?.subject ?? '',
      message: first?.message ?? '',
      chosen: new Set(first?.rule_ids),
    }),
    async send(draft) {
      const texts = textsOf(draft)
      const targets = groups.filter((group) => isAmong(group, draft.chosen))
      const settings = targets.map((group) => bodyOf({ ...group, ...texts }, group.slo_ids))
      await send('PUT', '/notifications/rules/settings', { body: { settings } })
      return draft
    },
    done: (draft) => (isDefault(draft) ? 'The default texts are in use again.' : 'Texts saved.'),
    failed: 'Not saved.',
    ended: () => invalidate('/notifications/rules'),
  })
  const { subject, message, chosen } = form.draft
  const reading = useTemplatePreview(kind, textsOf(form.draft))
  const { preview, isReading } = reading
  const defaults = preview?.defaults

  const insert = (name: string) => {
    const input = lastFocused.current
    if (!input) return
    const text = `{{${name}}}`
    input.setRangeText(text, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end')
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
  }
  const problemOf = (name: 'subject' | 'message') => {
    const { problem } = form.field(name)
    return reading.problemAt(name) ?? problem
  }
  const unavailable =
    whyNot('edit') ??
    (groups.length === 0
      ? 'There is no rule of this kind.'
      : !groups.some((group) => isAmong(group, chosen))
        ? 'Choose the rules that the texts are for.'
        : undefined)
  const inputProps = (ids: { id: string }) => ({
    ...ids,
    class: 'input',
    onFocus: ({ currentTarget }: { currentTarget: Input }) => (lastFocused.current = currentTarget),
  })
  return (
    <div class="template">
      <section class="card section">
        <h2>Texts</h2>
        <Field label="Subject" hint="One line. Empty: the default." problem={problemOf('subject')}>
          {(ids) => (
            <input
              {...inputProps(ids)}
              value={subject}
              maxLength={500}
              placeholder={defaults?.subject}
              onInput={({ currentTarget }) => form.set({ subject: currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Message" hint="Empty: the default." problem={problemOf('message')}>
          {(ids) => (
            <textarea
              {...inputProps(ids)}
              rows={8}
              value={message}
              maxLength={20_000}
              placeholder={defaults?.message}
              onInput={({ currentTarget }) => form.set({ message: currentTarget.value })}
            />
          )}
        </Field>
        <OtherProblems of={{ rest: () => reading.rest() ?? form.rest() }} />
        <Placeholders of={preview?.placeholders ?? []} onChoose={insert} />
        <Targets groups={groups} chosen={chosen} onChosen={(chosen) => form.set({ chosen })} />
        <div class="head-actions">
          <Button kind="primary" unavailable={unavailable} isBusy={form.isBusy} onClick={() => form.run()}>
            Save
          </Button>
          <Button
            icon="undo-2"
            unavailable={isDefault(form.draft) ? 'The default texts are shown.' : undefined}
            onClick={() => form.set({ subject: '', message: '' })}
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
              {group.channel_name}: {kindOf(group)}, {plural(group.slo_ids.length, '# SLO', '# SLOs')}
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

function isDefault({ subject, message }: Draft): boolean {
  return subject === '' && message === ''
}

function textsOf({ subject, message }: Draft): Texts {
  return { subject: emptyAsNull(subject), message: emptyAsNull(message) }
}

function emptyAsNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
