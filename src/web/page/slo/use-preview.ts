import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, send, type ApiProblem } from '../api/client.ts'
import type { Preview, SloDraft } from '../api/types.ts'

/**
 * Server's response to a draft. `preview` is the last one, and stays until the next arrives; `draft` is the draft of `preview`.
 * `problems`: from the last response, also if it refused the draft (400). `error`: why there is none, null if the draft itself
 * is the reason. `isReading`: a response is awaited.
 */
export type PreviewState = {
  preview: ReadonlySignal<Preview | null>
  draft: ReadonlySignal<SloDraft | null>
  problems: ReadonlySignal<readonly ApiProblem[]>
  isReading: ReadonlySignal<boolean>
  error: ReadonlySignal<ApiError | null>
  /** Requests now, even if nothing has changed. */
  retry: () => void
}

const settleMs = 400
const againMs = 5000

/**
 * Previews a draft 400 ms after its last change; a running request is aborted. Null: the draft is incomplete, and nothing is
 * requested. Drafts with the same JSON are the same draft.
 */
export function usePreview(draft: SloDraft | null): PreviewState {
  const { ask, stop, ...reading } = useMemo(createPreviewState, [])
  const body = draft === null ? null : JSON.stringify(draft)
  useEffect(() => ask(body), [body])
  useEffect(() => stop, [])
  return reading
}

/** Reading without hooks. `ask` takes the JSON of a draft, or null, each time it changes; `stop` aborts the running request. */
export function createPreviewState(): PreviewState & { ask: (body: string | null) => void; stop: () => void } {
  const preview = signal<Preview | null>(null)
  const answered = signal<SloDraft | null>(null)
  const problems = signal<readonly ApiProblem[]>([])
  const isReading = signal(false)
  const error = signal<ApiError | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let under: AbortController | undefined
  let wanted: string | null = null

  const stop = () => {
    clearTimeout(timer)
    under?.abort()
    under = undefined
    isReading.value = false
  }
  const refused = (problem: ApiError) => {
    const said = problem.status === 400 ? problem.problems : []
    problems.value = said
    error.value = said.length > 0 ? null : problem
    const againAfterMs = problem.status === 0 ? againMs : (problem.retryAfterSeconds ?? 0) * 1000
    if (againAfterMs > 0) timer = setTimeout(read, againAfterMs)
  }
  const read = async () => {
    if (wanted === null) return
    stop()
    const body = JSON.parse(wanted) as SloDraft
    const asked = (under = new AbortController())
    isReading.value = true
    const answer = await send<Preview>('POST', '/slos/preview?what_if=true', { body, signal: asked.signal }).catch(
      (problem: unknown) => (problem instanceof ApiError ? problem : new ApiError(0, String(problem))),
    )
    if (under !== asked) return
    under = undefined
    batch(() => {
      isReading.value = false
      if (answer instanceof ApiError) return refused(answer)
      preview.value = answer
      answered.value = body
      problems.value = answer.problems
      error.value = null
    })
  }
  const ask = (body: string | null) => {
    if (body === wanted) return
    stop()
    wanted = body
    batch(() => {
      error.value = null
      isReading.value = body !== null
      if (body === null) problems.value = []
    })
    if (body !== null) timer = setTimeout(read, settleMs)
  }
  return { preview, draft: answered, problems, isReading, error, retry: () => void read(), ask, stop }
}
