import { send } from '../../api/client.ts'
import type { OneAnnotation } from '../../api/history.ts'
import { momentText, readMoment } from '../../address/time-text.ts'
import { now } from '../../clock.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Fields, type FieldSpec } from '../../ui/form/fields.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { labelsOf, labelsRule, labelsText } from '../../slo/labels-text.ts'
import { type Annotation, rereadAnnotations } from './requests.ts'
import { addedText } from './words.ts'
import { editLabel } from '../../ui/named-words.ts'

type Kind = Annotation['kind']
type Draft = { kind: Kind; service: string; labels: string; version: string; url: string; at: string; text: string }

const fields: readonly FieldSpec<Draft>[] = [
  {
    name: 'kind',
    label: 'What it is',
    kind: 'select',
    options: [
      ['deploy', 'A deploy'],
      ['change', 'Another change'],
      ['note', 'A note'],
    ],
  },
  { name: 'service', label: 'Service', hint: 'It is drawn on the SLOs that have this label.', maxLength: 200 },
  { name: 'labels', label: 'Other labels', placeholder: 'team=payments, env=prod' },
  { name: 'version', label: 'Version', placeholder: 'v1.4.2', maxLength: 200 },
  { name: 'url', label: 'Link', inputMode: 'url', placeholder: 'https://', maxLength: 2000 },
  {
    name: 'at',
    label: 'When',
    hint: 'now, now-3h, or a date and time such as 2026-11-18 02:00',
    required: true,
  },
  { name: 'text', label: 'Text', kind: 'area', rows: 3 },
]

const emptyDraft: Draft = { kind: 'note', service: '', labels: '', version: '', url: '', at: 'now', text: '' }

/** Dialog that adds an annotation, or changes `of`. */
export function AnnotationForm({ of, onClose }: { of?: Annotation; onClose: () => void }) {
  const initial = of ? draftOf(of) : emptyDraft
  const form = useForm({
    initial,
    check: (draft) => problemsOf(draft),
    send: (draft) => sendDraft(draft, of),
    done: of ? 'Saved.' : ({ data }) => addedText(data.title),
    next: () => {
      onClose()
      rereadAnnotations()
    },
  })
  return (
    <FormDialog of={form} title={of ? editLabel(of.title) : 'New note'} action={of ? 'Save' : 'Add'} onClose={onClose}>
      <Fields of={fields} form={form} />
    </FormDialog>
  )
}

function draftOf({ kind, labels, version, url, at, text }: Annotation): Draft {
  const { service = '', ...others } = labels
  return { kind, service, labels: labelsText(others), version, url, at: momentText(String(Date.parse(at))), text }
}

function problemsOf({ service, labels, at }: Draft): Record<string, string> | undefined {
  const parsedLabels = labelsOf(labels)
  if (parsedLabels === null) return { labels: labelsRule }
  if (service.trim() === '' && Object.keys(parsedLabels).length === 0) {
    return { service: 'Name a service or a label: an SLO that has it shows the note.' }
  }
  if (readMoment(at, now()) === null)
    return { at: 'A time is now, now-3h, or a date and time such as 2026-11-18 02:00.' }
  return undefined
}

async function sendDraft(draft: Draft, of: Annotation | undefined): Promise<OneAnnotation> {
  const { kind, version, url, text } = draft
  const service = draft.service.trim()
  const labels = { ...labelsOf(draft.labels), ...(service !== '' && { service }) }
  const atMs = readMoment(draft.at, now())
  const at = draft.at.trim() === 'now' || atMs === null ? undefined : new Date(atMs).toISOString()
  const body = { kind, labels, version: version.trim(), url: url.trim(), text: text.trim(), at }
  return of ? send('PATCH', `/annotations/${of.id}`, { body }) : send('POST', '/annotations', { body })
}
