import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError, type ErrorKind } from '../../errors.ts'

export type PrometheusError = { status: 'error'; errorType: string; error: string }

/** Request and response of Elysia for the answer under way. */
export type ApiExchange = { request: Request; set: { status?: number | string } }

/**
 * HTTP status and `errorType` by kind of error (https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview).
 */
const statuses: Partial<Record<ErrorKind, { status: number; errorType: string }>> = {
  invalid: { status: 400, errorType: 'bad_data' },
  source_refused: { status: 422, errorType: 'execution' },
  too_large: { status: 422, errorType: 'execution' },
  too_slow: { status: 503, errorType: 'timeout' },
  source_unavailable: { status: 503, errorType: 'unavailable' },
}

/** Time limit for reading an answer. `onEnd` is called once it has been read or abandoned. */
type AnswerReading = { timeoutMs: number; onEnd: () => void }

/**
 * Answers in the format of Prometheus; `work` returns the `data` as pieces of JSON. Throws errors that the format has no type
 * for.
 */
export async function answer(
  { request, set }: ApiExchange,
  work: () => Iterable<string> | Promise<Iterable<string>>,
  reading: AnswerReading = { timeoutMs: 0, onEnd: () => {} },
): Promise<Response | PrometheusError> {
  try {
    const data = await work()
    const body = request.method === 'HEAD' ? null : bodyOf(data, reading)
    if (!(body instanceof ReadableStream)) reading.onEnd()
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  } catch (error) {
    reading.onEnd()
    const problem = error instanceof AppError ? statuses[error.kind] : undefined
    if (!(error instanceof AppError) || !problem) throw error
    set.status = problem.status
    return { status: 'error', errorType: problem.errorType, error: sentence(error) }
  }
}

/**
 * Fields added to nines' error format if a request fails before its query (no token, too many requests). Without `status`, Grafana
 * takes the answer for one without data and shows no error. None for paths of other routes.
 */
export function prometheusErrorFields(path: string, kind: ErrorKind): { status: 'error'; errorType: string } | {} {
  if (!/^(?:\/api\/v1)?\/(?:embedded|tsdb\/sources\/[^/]+)\/prometheus\//.test(path)) return {}
  return { status: 'error', errorType: earlyErrorTypes[kind] ?? kind }
}

/** Prometheus' error types by kind of error, for requests that fail before the query. */
const earlyErrorTypes: Partial<Record<ErrorKind, string>> = { invalid: 'bad_data', source_unavailable: 'unavailable' }

function sentence({ kind, message, details }: AppError): string {
  if (details === undefined) return message
  return kind === 'too_large' || kind === 'source_unavailable' ? `${message}: ${details}` : details
}

const charactersPerBatch = 65_536

/** Returns a short answer as a string. Streams a long one as fast as it is read, yielding to the event loop in between. */
function bodyOf(data: Iterable<string>, { timeoutMs, onEnd }: AnswerReading): string | ReadableStream<Uint8Array> {
  let pieces = data[Symbol.iterator]()
  let isAtEnd = false
  const nextText = (prefix: string) => {
    let text = prefix
    for (let next = pieces.next(); ; next = pieces.next()) {
      isAtEnd = next.done === true
      if (next.done === true) return `${text}}`
      text += next.value
      if (text.length >= charactersPerBatch) return text
    }
  }
  const first = nextText('{"status":"success","data":')
  if (isAtEnd) return first
  const encoder = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const end = () => {
    clearTimeout(timer)
    isOver = true
    pieces = [][Symbol.iterator]() // frees the data even if the stream is kept
    onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(first))
        const giveUp = () => {
          controller.error(new AppError('too_slow', 'The answer was not read in time'))
          end()
        }
        if (timeoutMs > 0) timer = setTimeout(giveUp, timeoutMs)
      },
      async pull(controller) {
        await yieldToEventLoop()
        if (isOver) return
        if (!isAtEnd) return controller.enqueue(encoder.encode(nextText('')))
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
