import type { ReadonlySignal } from '@preact/signals'
import { type Asked, useAsk } from '../api/ask.ts'
import type { ApiError, ApiProblem } from '../api/client.ts'
import type { Preview, SloDraft } from '../api/types.ts'

/**
 * Server's response to a draft. `preview` is the last one, and stays until the next arrives; `draft` is the draft of `preview`.
 * `problems`: from the last response, also if it refused the draft (400). `error`: why there is no response, null if the draft
 * itself is the reason. `isReading`: a response is awaited.
 */
export type PreviewState = Pick<Asked<SloDraft, Preview>, 'isReading' | 'retry'> & {
  preview: ReadonlySignal<Preview | null>
  draft: ReadonlySignal<SloDraft | null>
  problems: readonly ApiProblem[]
  error: ApiError | null
}

/** Previews a draft after its last change. Null: the draft is incomplete. */
export function usePreview(draft: SloDraft | null): PreviewState {
  const asked = useAsk<SloDraft, Preview>(draft, { path: '/slos/preview?what_if=true' })
  const { answer: preview, question, isReading, retry } = asked
  return { preview, draft: question, isReading, retry, ...(draft === null ? nothing : outcomeOf(asked)) }
}

const nothing = { problems: [], error: null }

/** Problems of a draft by the last response, and the error of a request that failed for another reason. */
export function outcomeOf({
  answer,
  error,
}: Pick<Asked<SloDraft, Preview>, 'answer' | 'error'>): Pick<PreviewState, 'problems' | 'error'> {
  const failed = error.value
  if (failed === null) return { problems: answer.value?.problems ?? [], error: null }
  const problems = failed.status === 400 ? failed.problems : []
  return { problems, error: problems.length > 0 ? null : failed }
}
