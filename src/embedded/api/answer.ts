import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, type ErrorKind } from '../../errors.ts'

export type Problem = { status: 'error'; errorType: string; error: string }

/** The answer under way, as Elysia has it. */
export type ApiExchange = { request: Request; set: { status?: number | string } }

/** What a question can come to, as https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview has it. */
const problems: Partial<Record<ErrorKind, { status: number; errorType: string }>> = {
  invalid: { status: 400, errorType: 'bad_data' },
  source_refused: { status: 422, errorType: 'execution' },
  too_large: { status: 422, errorType: 'execution' },
  too_slow: { status: 503, errorType: 'timeout' },
  source_unavailable: { status: 503, errorType: 'unavailable' },
}

/** How long an answer may be read, and what is called once it has been, or nobody reads it any more. */
type Reading = { timeoutMs: number; ended: () => void }

/** Answers as Prometheus does; `work` gives the `data` in pieces of JSON. */
export async function answer(
  { request, set }: ApiExchange,
  work: () => Iterable<string> | Promise<Iterable<string>>,
  reading: Reading = { timeoutMs: 0, ended: () => {} },
): Promise<Response | Problem> {
  try {
    const data = await work()
    const body = request.method === 'HEAD' ? null : written(data, reading)
    if (!(body instanceof ReadableStream)) reading.ended()
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  } catch (error) {
    reading.ended()
    const problem = error instanceof AppError ? problems[error.kind] : undefined
    if (!(error instanceof AppError) || !problem) throw error
    set.status = problem.status
    return { status: 'error', errorType: problem.errorType, error: sentence(error) }
  }
}

/**
 * What an error that comes before the question (no token, too many requests) has besides nines' own fields: Grafana takes an
 * answer without `status` for one without data, and says nothing.
 */
export function asPrometheusErrs(path: string, kind: ErrorKind): { status: 'error'; errorType: string } | {} {
  if (!/^(?:\/api\/v1)?\/(?:embedded|tsdb\/sources\/[^/]+)\/prometheus\//.test(path)) return {}
  return { status: 'error', errorType: knownTypes[kind] ?? kind }
}

/** What is wrong with the path of a question, or with its source, is said before it is one, too. */
const knownTypes: Partial<Record<ErrorKind, string>> = { invalid: 'bad_data', source_unavailable: 'unavailable' }

function sentence({ kind, message, details }: AppError): string {
  if (details === undefined) return message
  return kind === 'too_large' || kind === 'source_unavailable' ? `${message}: ${details}` : details
}

const charactersAtOnce = 65_536

/** A short answer whole; of a long one the rest when the reader wants more, in turns with everything else. */
function written(data: Iterable<string>, { timeoutMs, ended }: Reading): string | ReadableStream<Uint8Array> {
  let pieces = data[Symbol.iterator]()
  let isAtEnd = false
  const more = (begun: string) => {
    let text = begun
    for (let next = pieces.next(); ; next = pieces.next()) {
      isAtEnd = next.done === true
      if (next.done === true) return `${text}}`
      text += next.value
      if (text.length >= charactersAtOnce) return text
    }
  }
  const first = more('{"status":"success","data":')
  if (isAtEnd) return first
  const encoder = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const end = () => {
    clearTimeout(timer)
    isOver = true
    pieces = [][Symbol.iterator]() // what they are made of is not kept by what keeps the stream
    ended()
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
        await nextTurn()
        if (isOver) return
        if (!isAtEnd) return controller.enqueue(encoder.encode(more('')))
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
