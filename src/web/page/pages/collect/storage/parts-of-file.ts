/** Whole lines of a file, and the file's line number of the first of them. `readBytes`: bytes of the file read so far. */
export type FilePart = { text: string; firstLine: number; isLast: boolean; readBytes: number }

type ReadFile = Pick<File, 'name' | 'stream'>

/**
 * Reads a file of any size in parts, so that only one part is in memory. The request of a part has at most `maxBytes`. A file whose
 * name ends in `.gz` is decompressed. Throws a message for the user if the file is not UTF-8 text, not gzip, or has a line that
 * is too long for a part.
 */
export async function* partsOfFile(file: ReadFile, maxBytes: number): AsyncGenerator<FilePart> {
  let readBytes = 0
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        readBytes += chunk.byteLength
        controller.enqueue(chunk)
      },
    }),
  )
  const isPacked = file.name.endsWith('.gz')
  const bytes = isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted
  const reader = bytes.pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader()
  const targetLength = Math.floor(maxBytes * 0.7) // leaves room: quotes and line breaks take two bytes in JSON
  let firstLine = 1
  let held = '' // text that is not cut into parts yet
  let next: string | undefined // a complete part that may be the last
  const part = (text: string, isLast: boolean): FilePart => {
    const one = { text, firstLine, isLast, readBytes }
    firstLine += linesIn(text)
    return one
  }
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      held += read.value
      if (held.length < targetLength) continue
      const end = held.lastIndexOf('\n') + 1
      for (const text of piecesOf(held.slice(0, end), maxBytes)) {
        if (next !== undefined) yield part(next, false)
        next = text
      }
      held = held.slice(end)
      if (held.length > maxBytes) throw new TooLong()
    }
    for (const text of piecesOf(held, maxBytes)) {
      if (next !== undefined) yield part(next, false)
      next = text
    }
    yield part(next ?? '\n', true)
  } catch (error) {
    if (error instanceof TooLong) {
      const line = firstLine + linesIn(next ?? '')
      throw new Error(`Line ${line} is too long to be sent.`, { cause: error })
    }
    if (!(error instanceof TypeError)) throw error
    const what = isPacked ? 'The file is no gzip of UTF-8 text, or is cut.' : 'The file is no UTF-8 text.'
    throw new Error(what, { cause: error })
  } finally {
    await reader.cancel().catch(() => {})
  }
}

class TooLong extends Error {}

const encoder = new TextEncoder()
const envelopeBytes = 100 // for the field names and numbers of the request

/** Halves whole lines until each piece fits a request. Throws `TooLong`. */
function* piecesOf(text: string, maxBytes: number): Generator<string> {
  if (text === '') return
  if (encoder.encode(JSON.stringify(text)).length + envelopeBytes <= maxBytes) return yield text
  const middle = text.lastIndexOf('\n', text.length / 2) + 1 || text.indexOf('\n') + 1
  if (middle === 0 || middle === text.length) throw new TooLong()
  yield* piecesOf(text.slice(0, middle), maxBytes)
  yield* piecesOf(text.slice(middle), maxBytes)
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
