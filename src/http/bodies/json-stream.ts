import { nextStart } from '../../concurrency/cooperative.ts'
import { AppError } from '../../errors.ts'

const charactersPerBatch = 65_536

type PieceIterator = Iterator<string | Uint8Array> | AsyncIterator<string | Uint8Array>

/** Pieces of a text. Those given as bytes must not be empty; they are sent unchanged. */
export type Pieces = Iterable<string> | Iterable<Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * `onRead`: called when the reader asks for a chunk; `onWritten`: when it has one; `onEnd`: once the response has been read or
 * abandoned, at the latest after `timeoutMs` or when `signal` is aborted. `contentType`: for text that is not JSON.
 */
type StreamOptions = {
  timeoutMs: number
  signal?: AbortSignal
  onRead?: () => void
  onWritten?: () => void
  onEnd?: () => void
  contentType?: string
}

/**
 * Response with JSON that is too long to be written at once. The next chunk is produced when the reader asks for it, and other
 * work runs in between.
 */
export function streamJson(
  pieces: Pieces,
  { timeoutMs, signal, onRead, onWritten, onEnd, contentType = 'application/json' }: StreamOptions,
): Response {
  let iterator: PieceIterator = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const state = { isOver: false }
  const end = () => {
    if (state.isOver) return
    state.isOver = true
    clearTimeout(timer)
    iterator = [].values() // releases the source data even if the stream object stays referenced
    onEnd?.()
  }
  let giveUp = () => {}
  const timer = setTimeout(() => giveUp(), timeoutMs)
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        giveUp = () => {
          if (state.isOver) return
          controller.error(new AppError('too_slow', 'The answer was not read in time'))
          end()
        }
        signal?.addEventListener('abort', giveUp)
      },
      async pull(controller) {
        onRead?.()
        await nextStart('streams') // streams of many readers are not all written in one turn
        if (state.isOver) return
        const write = (chunk: Uint8Array) => {
          controller.enqueue(chunk)
          onWritten?.()
        }
        let text = ''
        while (text.length < charactersPerBatch) {
          const next = await iterator.next()
          if (state.isOver) return
          if (next.done === true) break
          if (typeof next.value === 'string') text += next.value
          else {
            if (text !== '') controller.enqueue(encoder.encode(text))
            return write(next.value)
          }
        }
        if (text !== '') return write(encoder.encode(text))
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': contentType } })
}
