import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, asApiError, send } from './client.ts'

/**
 * The answer to a question that changes while somebody types. `answer` is the last one, to `question`, and stays until the next
 * arrives. `error`: why there is none to the newest question; what a refusal says of fields stays until the next answer.
 */
export type Asked<Question, Answer> = {
  answer: ReadonlySignal<Answer | null>
  question: ReadonlySignal<Question | null>
  error: ReadonlySignal<ApiError | null>
  isReading: ReadonlySignal<boolean>
  /** Asks now, even if nothing has changed. */
  retry: () => void
}

type Options = {
  path: string
  /** Time after the last change after which the first question is sent; 400 ms by default, as for later ones. */
  firstAfterMs?: number
}

const settleMs = 400
const againMs = 5000

/**
 * Posts a question 400 ms after its last change; a running request is aborted. Null: it is incomplete, and nothing is sent.
 * Questions with the same JSON are the same. Without an answer it is asked again after 5 s, or when the server says so.
 */
export function useAsk<Question, Answer>(question: Question | null, options: Options): Asked<Question, Answer> {
  const { ask, stop, ...asked } = useMemo(() => createAsk<Question, Answer>(options), [])
  const body = question === null ? null : JSON.stringify(question)
  useEffect(() => ask(body), [body])
  useEffect(() => stop, [])
  return asked
}

/** The same without hooks. `ask` takes the JSON of a question, or null, each time it changes; `stop` aborts the running request. */
export function createAsk<Question, Answer>({ path, firstAfterMs = settleMs }: Options) {
  const answer = signal<Answer | null>(null)
  const question = signal<Question | null>(null)
  const error = signal<ApiError | null>(null)
  const isReading = signal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  let under: AbortController | undefined
  let newest: string | null = null

  const stop = () => {
    clearTimeout(timer)
    under?.abort()
    under = undefined
    isReading.value = false
  }
  const read = async () => {
    if (newest === null) return
    stop()
    const body = JSON.parse(newest) as Question
    const asked = (under = new AbortController())
    isReading.value = true
    const found = await send<Answer>('POST', path, { body, signal: asked.signal }).catch(asApiError)
    if (under !== asked) return
    under = undefined
    batch(() => {
      isReading.value = false
      if (found instanceof ApiError) {
        error.value = found
        const againAfterMs = found.status === 0 ? againMs : (found.retryAfterSeconds ?? 0) * 1000
        if (againAfterMs > 0) timer = setTimeout(read, againAfterMs)
        return
      }
      answer.value = found
      question.value = body
      error.value = null
    })
  }
  const ask = (body: string | null) => {
    if (body === newest) return
    const waitMs = answer.peek() === null ? firstAfterMs : settleMs
    stop()
    newest = body
    batch(() => {
      if (body === null || error.peek()?.problems.length === 0) error.value = null
      isReading.value = body !== null
    })
    if (body !== null) timer = setTimeout(read, waitMs)
  }
  return { answer, question, error, isReading, retry: () => void read(), ask, stop }
}
