import { AppError } from '../errors.ts'

const deepest = 64

/** Elysia's own parser is told there is nothing to read: a guard must speak before the body is touched. */
export const deferBody = () => null

/** Reads a request's body as JSON, after the guard has passed. `null` without a body; throws the errors of section 7. */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  if (!request.body) return null
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new AppError('unsupported_media_type', 'Unsupported media type', {
      details: 'Content-Type: wanted application/json',
    })
  }
  const text = await readText(request.body, limitBytes)
  if (text === '') return null
  if (nesting(text) > deepest) throw badBody(`wanted at most ${deepest} levels of nesting`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw badBody('wanted well-formed JSON', cause)
  }
}

/** A body whose announced length is over the limit is refused before it is read. */
export function refuseAnnounced(request: Request, limitBytes: number): void {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limitBytes) throw tooLarge(limitBytes)
}

async function readText(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let text = ''
  try {
    for await (const chunk of body) {
      size += chunk.byteLength
      if (size > limitBytes) throw tooLarge(limitBytes)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (cause) {
    throw cause instanceof AppError ? cause : badBody('wanted UTF-8, sent whole', cause)
  }
}

/** How deep brackets nest outside strings; counted before parsing, for parsing a deep text can exhaust the stack. */
function nesting(text: string): number {
  let depth = 0
  let most = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') most = Math.max(most, ++depth)
    else if (char === '}' || char === ']') depth -= 1
  }
  return most
}

function badBody(wanted: string, cause?: unknown): AppError {
  return new AppError('invalid', 'Invalid request body', { details: `body: ${wanted}`, cause })
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', 'Request body too large', {
    details: `body: wanted at most ${limitBytes} bytes`,
    headers: { Connection: 'close' },
  })
}
