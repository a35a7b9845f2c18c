import { inOneStep, inTurns } from '../../concurrency/steps.ts'
import { AppError } from '../../errors.ts'
import type { BodyRoom } from './body-budget.ts'
import { JsonBoundsError, parseJson } from './json.ts'
import { endOf, free, openSink } from '../outbound/body.ts'

/** How long the whole of a body may take. Bun's own idle timeout would cut the connection without a response, and later. */
const bodyTimeoutMs = 30_000

/** How long nothing of it may come. */
const bodyPauseMs = 10_000

/** What a body may take: bytes, time for the whole, time without a byte, values in JSON (absent: the usual); room in memory. */
export type BodyBounds = {
  limitBytes: number
  timeoutMs?: number
  pauseMs?: number
  maxValues?: number
  room?: BodyRoom
  /** Whose turns of the event loop a long one takes. */
  group?: number
}

/** Elysia's own parser gets nothing to read: the guard comes before the body is touched. */
export const deferBody = () => null

/** Reads a request's body as JSON, after the guard has passed. `null` without a body; throws an `AppError` for what it refuses. */
export async function readJson(request: Request, bounds: BodyBounds): Promise<unknown> {
  const stream = isShort(request) ? undefined : request.body
  if (stream === null) return null
  assertType(request, 'application/json')
  const text = stream ? await readText(stream, bounds) : await readShort(request, bounds)
  if (text === '') return null
  try {
    const reviver = shadowed.test(text) ? dropShadowing : undefined
    const parse = () => parseJson(text, { reviver, maxValues: bounds.maxValues })
    return text.length > maxParsedAtOnce ? await inTurns(bounds.group, inOneStep(parse)) : parse()
  } catch (cause) {
    throw badBody(cause instanceof JsonBoundsError ? cause.message : 'must be well-formed JSON', cause)
  }
}

/** Longer ones that come together are parsed in a turn each. */
const maxParsedAtOnce = 65_536

/** As `readJson`; without a body an object without fields. */
export async function readOptionalJson(request: Request, bounds: BodyBounds): Promise<unknown> {
  return (await readJson(request, bounds)) ?? {}
}

/** Throws `unsupported_media_type` for a body of another type. */
export function assertType({ headers }: Request, type: string): void {
  const [sent = ''] = (headers.get('content-type') ?? '').split(';')
  if (sent.trimEnd().toLowerCase() === type) return
  throw new AppError('unsupported_media_type', 'Unsupported media type', { details: `Content-Type: must be ${type}` })
}

/** What a JSON text looks like that may hold one of the names below; `\\u` can spell any of them. */
const shadowed = /"(?:__proto__|toString|valueOf)"|\\u/

/** Unknown fields are ignored, and these are never known: an object with a `toString` of its own cannot even be printed. */
function dropShadowing(name: string, value: unknown): unknown {
  return name === '__proto__' || name === 'toString' || name === 'valueOf' ? undefined : value
}

/** A body whose announced length is over the limit is refused before it is read. */
export function refuseAnnounced(request: Request, limitBytes: number): void {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limitBytes) throw tooLarge(limitBytes)
}

/** How long a body will be, as far as is known before it is read. */
export function announcedBytes(request: Request): number {
  const announced = Number(request.headers.get('content-length') ?? 0) || 0
  return announced === 0 || isShort(request) || request.body ? announced : 0
}

/** A body of so many bytes fits into the packets of its head, and is read at once: a stream takes twice the CPU. */
const maxShortBytes = 2048

/** Whether a body is announced that short; does not look at `body`, which would make a stream of it. */
function isShort({ method, headers }: Request): boolean {
  const announced = Number(headers.get('content-length') ?? 0)
  return announced > 0 && announced <= maxShortBytes && !headers.has('transfer-encoding') && !isReading.has(method)
}

const isReading = new Set(['GET', 'HEAD'])

/** The text of a short body, which shows no pauses: the whole of it is given the time that a pause may take. */
async function readShort(
  request: Request,
  { limitBytes, timeoutMs = bodyTimeoutMs, pauseMs = bodyPauseMs }: BodyBounds,
): Promise<string> {
  try {
    const arriving = request.arrayBuffer()
    const isThere = Bun.peek.status(arriving) !== 'pending'
    const bytes = await (isThere ? arriving : within(Math.min(timeoutMs, pauseMs), arriving))
    if (bytes.byteLength > limitBytes) throw tooLarge(limitBytes)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw cause instanceof AppError ? cause : badBody(unreadable, cause)
  }
}

async function within<T>(ms: number, arriving: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow(`whole within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([arriving, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const unreadable = 'must be UTF-8, sent whole'

/** A body's text; throws for one over the limit, or that is not UTF-8 sent whole. */
export async function readText(
  body: ReadableStream<Uint8Array>,
  { limitBytes, timeoutMs = bodyTimeoutMs, pauseMs = bodyPauseMs, room }: BodyBounds,
): Promise<string> {
  const sink = openSink() // a string that grows by parts of a byte would take many times as much
  const reader = body.getReader()
  let late: AppError | undefined
  const endLater = (ms: number, requirement: string) =>
    setTimeout(() => {
      late = tooSlow(requirement)
      reader.cancel().catch(() => {}) // ends the read that waits; one that fails has already said why
    }, ms)
  const whole = endLater(timeoutMs, `whole within ${timeoutMs / 1000} s`)
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
    return decode(sink)
  } catch (cause) {
    void reader.cancel().catch(() => {})
    throw cause instanceof AppError ? cause : badBody(unreadable, cause)
  } finally {
    clearTimeout(whole)
    clearTimeout(pause)
  }
}

function decode(sink: Bun.ArrayBufferSink): string {
  const bytes = endOf(sink)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  free(bytes)
  return text
}

/** The error for a body that does not meet a requirement. */
export function badBody(requirement: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request body', { problems: [{ field: 'body', message: requirement }], cause })
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', 'Request body too large', {
    details: `body: must be at most ${limitBytes} bytes`,
    headers: { Connection: 'close' },
  })
}

function tooSlow(requirement: string): AppError {
  return new AppError('too_slow', 'Request body too slow', {
    details: `body: must arrive ${requirement}`,
    headers: { Connection: 'close' },
  })
}
