import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, asApiError, send } from './client.ts'

/**
 * Answer to a question that changes while somebody types. `answer`: the newest answer, which stays until the next arrives; `question`: the
 * question that it answers. `error`: why the newest question has no answer; an error with problems of fields stays until the next answer.
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
  /** Milliseconds from the last change until the first question is sent; 400 by default, the same as for later questions. */
  firstAfterMs?: number
}

const debounceMs = 400
const retryMs = 5000

/**
 * Posts a question 400 ms after its last change; a running request is aborted. `question` null: it is incomplete, and nothing is sent.
 * Questions with the same JSON are the same. Without an answer it is asked again after 5 s, or when the server says so.
 */
export function useAsk<Question, Answer>(question: Question | null, options: Options): Asked<Question, Answer> {
  const { ask, stop, ...asked } = useMemo(() => createAsk<Question, Answer>(options), [])
  const body = question === null ? null : JSON.stringify(question)
  useEffect(() => ask(body), [body])
  useEffect(() => stop, [])
  return asked
}

/** `useAsk` without hooks. `ask` takes the JSON of a question, or null, each time it changes; `stop` aborts the running request. */
export function createAsk<Question, Answer>({ path, firstAfterMs = debounceMs }: Options) {
  const answer = signal<Answer | null>(null)
  const question = signal<Question | null>(null)
  const error = signal<ApiError | null>(null)
  const isReading = signal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: AbortController | undefined
  let newest: string | null = null

  const stop = () => {
    clearTimeout(timer)
    running?.abort()
    running = undefined
    isReading.value = false
  }
  const read = async () => {
    if (newest === null) return
    stop()
    const body = JSON.parse(newest) as Question
    const request = (running = new AbortController())
    isReading.value = true
    const found = await send<Answer>('POST', path, { body, signal: request.signal }).catch(asApiError)
    if (running !== request) return
    running = undefined
    batch(() => {
      isReading.value = false
      if (found instanceof ApiError) {
        error.value = found
        const retryAfterMs = found.status === 0 ? retryMs : (found.retryAfterSeconds ?? 0) * 1000
        if (retryAfterMs > 0) timer = setTimeout(read, retryAfterMs)
        return
      }
      answer.value = found
      question.value = body
      error.value = null
    })
  }
  const ask = (body: string | null) => {
    if (body === newest) return
    const waitMs = answer.peek() === null ? firstAfterMs : debounceMs
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
