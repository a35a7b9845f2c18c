import { AppError } from '../errors.ts'
import { JsonBoundsError, parseJson } from './json.ts'

/** How long the whole of a body may take. Bun's own idle timeout would cut the connection without a word, and later. */
const bodyTimeoutMs = 30_000

/** Elysia's own parser is told there is nothing to read: a guard must speak before the body is touched. */
export const deferBody = () => null

/** Reads a request's body as JSON, after the guard has passed. `null` without a body; throws the errors of section 7. */
export async function readJson(request: Request, limitBytes: number, timeoutMs = bodyTimeoutMs): Promise<unknown> {
  if (!request.body) return null
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new AppError('unsupported_media_type', 'Unsupported media type', {
      details: 'Content-Type: wanted application/json',
    })
  }
  const text = await readText(request.body, limitBytes, timeoutMs)
  if (text === '') return null
  try {
    return parseJson(text, shadowed.test(text) ? dropShadowing : undefined)
  } catch (cause) {
    throw badBody(cause instanceof JsonBoundsError ? cause.message : 'wanted well-formed JSON', cause)
  }
}

/** What a JSON text looks like that may hold one of the names below; `\\u` can spell any of them. */
const shadowed = /"(?:__proto__|toString|valueOf)"|\\u/

/** Unknown fields are ignored, and these are never known: an object with a `toString` of its own cannot even be shown. */
function dropShadowing(name: string, value: unknown): unknown {
  return name === '__proto__' || name === 'toString' || name === 'valueOf' ? undefined : value
}

/** A body whose announced length is over the limit is refused before it is read. */
export function refuseAnnounced(request: Request, limitBytes: number): void {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limitBytes) throw tooLarge(limitBytes)
}

/** A body's text; throws for one over the limit, or that is not UTF-8 sent whole. */
export async function readText(
  body: ReadableStream<Uint8Array>,
  limitBytes: number,
  timeoutMs = bodyTimeoutMs,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {}) // ends the read that waits; one that fails has already said why
  }, timeoutMs)
  let size = 0
  let text = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength
      if (size > limitBytes) throw tooLarge(limitBytes)
      text += decoder.decode(part.value, { stream: true })
    }
    if (isLate) throw tooSlow(timeoutMs)
    return text + decoder.decode()
  } catch (cause) {
    void reader.cancel().catch(() => {})
    throw cause instanceof AppError ? cause : badBody('wanted UTF-8, sent whole', cause)
  } finally {
    clearTimeout(timer)
  }
}

/** The error for a body that is not what was wanted. */
export function badBody(wanted: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request body', { details: `body: ${wanted}`, cause })
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', 'Request body too large', {
    details: `body: wanted at most ${limitBytes} bytes`,
    headers: { Connection: 'close' },
  })
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError('too_slow', 'Request body too slow', {
    details: `body: wanted whole within ${timeoutMs / 1000} s`,
    headers: { Connection: 'close' },
  })
}
