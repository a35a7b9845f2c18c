import { singleStep, runCooperatively } from '../../concurrency/cooperative.ts'
import { AppError } from '../../errors.ts'
import type { BodyRoom } from './body-budget.ts'
import { JsonBoundsError, parseJson } from './json.ts'
import { finishSink, free, openSink } from '../outbound/body.ts'

/** Time limit for a whole body. Bun's own idle timeout would close the connection later and without a response. */
const bodyTimeoutMs = 30_000

/** Time limit between two chunks of a body. */
const bodyPauseMs = 10_000

/** Bounds of a body: bytes, total time, time without a byte, JSON values (absent: the default), and room in memory. */
export type BodyBounds = {
  limitBytes: number
  timeoutMs?: number
  pauseMs?: number
  maxValues?: number
  room?: BodyRoom
  /** Scheduling group that a long body is parsed in, such as an organization. */
  group?: number
}

/** Skips Elysia's own parser: the guard runs before the body is read. */
export const deferBody = () => null

/** Reads a request body as JSON, after the guard has passed. `null` without a body; throws an `AppError` for a refused body. */
export async function readJson(request: Request, bounds: BodyBounds): Promise<unknown> {
  const stream = isShort(request) ? undefined : request.body
  if (stream === null) return null
  assertType(request, 'application/json')
  const text = stream ? await readText(stream, bounds) : await readShort(request, bounds)
  if (text === '') return null
  try {
    const reviver = unsafeKey.test(text) ? dropUnsafeKeys : undefined
    const parse = () => parseJson(text, { reviver, maxValues: bounds.maxValues })
    return text.length > maxSyncCharacters ? await runCooperatively(bounds.group, singleStep(parse)) : parse()
  } catch (cause) {
    throw badBody(cause instanceof JsonBoundsError ? cause.message : 'must be well-formed JSON', cause)
  }
}

/** Characters parsed immediately; a longer body is parsed in a separate turn of the event loop. */
const maxSyncCharacters = 65_536

/** Reads a body like `readJson`; without a body, returns an empty object. */
export async function readOptionalJson(request: Request, bounds: BodyBounds): Promise<unknown> {
  return (await readJson(request, bounds)) ?? {}
}

/** Throws `unsupported_media_type` for a body of another type. */
export function assertType({ headers }: Request, type: string): void {
  const [sent = ''] = (headers.get('content-type') ?? '').split(';')
  if (sent.trimEnd().toLowerCase() === type) return
  throw new AppError('unsupported_media_type', 'Unsupported media type', { details: `Content-Type: must be ${type}` })
}

/** Matches JSON text that may contain one of the names below; `\\u` can spell any of them. */
const unsafeKey = /"(?:__proto__|toString|valueOf)"|\\u/

/** Drops fields with these names. They are never known fields, and an object with its own `toString` cannot even be printed. */
function dropUnsafeKeys(name: string, value: unknown): unknown {
  return name === '__proto__' || name === 'toString' || name === 'valueOf' ? undefined : value
}

/** Throws `too_large` for a body whose `Content-Length` exceeds the limit, before it is read. */
export function assertAnnouncedFits(request: Request, limitBytes: number): void {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limitBytes) throw tooLarge(limitBytes)
}

/** Length of a body as far as it is known before reading; 0 if unknown. */
export function announcedBytes(request: Request): number {
  const announced = Number(request.headers.get('content-length') ?? 0) || 0
  return announced === 0 || isShort(request) || request.body ? announced : 0
}

/**
 * Maximum length of a body that is read at once: it fits into the packets of the request head, and a stream takes twice the
 * CPU.
 */
const maxShortBytes = 2048

/** True if the announced body is short. Does not access `body`, which would turn it into a stream. */
function isShort({ method, headers }: Request): boolean {
  const announced = Number(headers.get('content-length') ?? 0)
  return (
    announced > 0 && announced <= maxShortBytes && !headers.has('transfer-encoding') && !methodsWithoutBody.has(method)
  )
}

const methodsWithoutBody = new Set(['GET', 'HEAD'])

/** Text of a short body. Its pauses are not visible, so the whole body must arrive within the pause limit. */
async function readShort(
  request: Request,
  { limitBytes, timeoutMs = bodyTimeoutMs, pauseMs = bodyPauseMs }: BodyBounds,
): Promise<string> {
  try {
    const arriving = request.arrayBuffer()
    const hasArrived = Bun.peek.status(arriving) !== 'pending'
    const bytes = await (hasArrived ? arriving : withTimeout(Math.min(timeoutMs, pauseMs), arriving))
    if (bytes.byteLength > limitBytes) throw tooLarge(limitBytes)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw cause instanceof AppError ? cause : badBody(unreadable, cause)
  }
}

async function withTimeout<T>(ms: number, arriving: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow(`whole within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([arriving, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const unreadable = 'must be UTF-8, sent whole'

/** Text of a body; throws if it exceeds the limit, is incomplete, or is not UTF-8. */
export function readText(body: ReadableStream<Uint8Array>, bounds: BodyBounds): Promise<string> {
  return readStream(body, bounds, decode)
}

/** Bytes of a request body; throws if it exceeds the limit or is incomplete. */
export async function readBytes({ body }: Request, bounds: BodyBounds): Promise<Uint8Array> {
  return body ? readStream(body, bounds, finishSink) : new Uint8Array(0)
}

async function readStream<T>(
  body: ReadableStream<Uint8Array>,
  { limitBytes, timeoutMs = bodyTimeoutMs, pauseMs = bodyPauseMs, room }: BodyBounds,
  finish: (sink: Bun.ArrayBufferSink) => T,
): Promise<T> {
  const sink = openSink() // a string that grows by small chunks would take many times as much memory
  const reader = body.getReader()
  let late: AppError | undefined
  const endLater = (ms: number, requirement: string) =>
    setTimeout(() => {
      late = tooSlow(requirement)
      reader.cancel().catch(() => {}) // ends the pending read; a read that fails has already reported why
    }, ms)
  const deadline = endLater(timeoutMs, `whole within ${timeoutMs / 1000} s`)
  const pause = endLater(pauseMs, `without a pause of ${pauseMs / 1000} s`)
  let size = 0
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength
      if (size > limitBytes) throw tooLarge(limitBytes)
      room?.growTo(size)
      sink.write(part.value)
      pause.refresh()
    }
    if (late) throw late
    return finish(sink)
  } catch (cause) {
    void reader.cancel().catch(() => {})
    throw cause instanceof AppError ? cause : badBody(unreadable, cause)
  } finally {
    clearTimeout(deadline)
    clearTimeout(pause)
  }
}

function decode(sink: Bun.ArrayBufferSink): string {
  const bytes = finishSink(sink)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  free(bytes)
  return text
}

/** Error for a body that does not meet a requirement. */
export function badBody(requirement: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request body', { problems: [{ field: 'body', message: requirement }], cause })
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', 'Request body too large', {
    problems: [
      {
        field: 'body',
        message: `must be at most ${limitBytes} bytes`,
        code: 'too_large',
        params: { max_bytes: limitBytes },
      },
    ],
    headers: { Connection: 'close' },
  })
}

function tooSlow(requirement: string): AppError {
  return new AppError('too_slow', 'Request body too slow', {
    details: `body: must arrive ${requirement}`,
    headers: { Connection: 'close' },
  })
}
