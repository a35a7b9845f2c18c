import { useAsk } from '../../../api/ask.ts'
import type { TemplatePreview } from '../../../api/history.ts'
import { asSentence } from '../../../format.ts'
import { problemsByField } from '../problems.ts'

/** Texts of a template; null: the default text. */
export type Texts = { subject: string | null; message: string | null }

/**
 * Preview of a template. `problems`: by field, from the last answer, also if it refused the texts; problems of no field are
 * under the empty name.
 */
export type TemplateReading = {
  preview: TemplatePreview | null
  problems: Readonly<Record<string, string>>
  isReading: boolean
}

type Question = Texts & { alert_type: string }

/** Previews texts for an alert of this kind, at first at once and then after their last change. */
export function useTemplatePreview(kind: string, texts: Texts): TemplateReading {
  const { answer, error, isReading } = useAsk<Question, { data: TemplatePreview }>(
    { alert_type: kind, ...texts },
    { path: '/notifications/templates/preview', firstAfterMs: 0 },
  )
  const preview = answer.value?.data ?? null
  const said = (preview?.problems ?? []).map((problem) => [problem.field, asSentence(messageOf(problem))])
  const problems = error.value ? problemsByField(error.value, ['subject', 'message']) : Object.fromEntries(said)
  return { preview, problems, isReading: isReading.value }
}

/** Message of a problem without the list of known placeholders, which the page shows next to the fields. */
function messageOf({ code, params, message }: TemplatePreview['problems'][number]): string {
  return code === 'unknown_placeholder' ? `must be no placeholder {{${String(params['placeholder'])}}}` : message
}
