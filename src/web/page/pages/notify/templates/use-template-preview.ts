import { useAsk } from '../../../api/ask.ts'
import type { TemplatePreview } from '../../../api/history.ts'
import { assignProblems } from '../../../ui/form/assign-problems.ts'
import { refusalOf } from '../../../ui/form/refusal.ts'

/** Texts of a template; null: the default text. */
export type Texts = { subject: string | null; message: string | null }

/** Preview of a template, and the problems of the last answer, also if it refused the texts. */
export type TemplateReading = ReturnType<typeof assignProblems> & {
  preview: TemplatePreview | null
  isReading: boolean
}

type Question = Texts & { alert_type: string }

/** Previews texts for an alert of this kind: at once when it opens, later a moment after the last change. */
export function useTemplatePreview(kind: string, texts: Texts): TemplateReading {
  const { answer, error, isReading } = useAsk<Question, { data: TemplatePreview }>(
    { alert_type: kind, ...texts },
    { path: '/notifications/templates/preview', firstAfterMs: 0 },
  )
  const preview = answer.value?.data ?? null
  const problems = (preview?.problems ?? []).map((problem) => ({ ...problem, message: messageOf(problem) }))
  return { preview, isReading: isReading.value, ...assignProblems(error.value ? refusalOf(error.value) : { problems }) }
}

/** Message of a problem without the list of known placeholders, which the page shows next to the fields. */
function messageOf({ code, params, message }: TemplatePreview['problems'][number]): string {
  return code === 'unknown_placeholder' ? `unknown placeholder {{${String(params['placeholder'])}}}` : message
}
