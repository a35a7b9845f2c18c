import { nextStart } from '../../concurrency/steps.ts'
import { AppError } from '../../errors.ts'

const charactersAtOnce = 65_536

type Rest = Iterator<string | Uint8Array> | AsyncIterator<string | Uint8Array>

/**
 * A response of JSON that is too long to be written at once: more of it is made as its reader takes more, with other work
 * in between. Pieces that are bytes, of one character or more, are sent as they are. `ended` is called once it has been read, or
 * nobody reads it any more; at the latest after `timeoutMs`. `contentType`: of another text than JSON.
 */
export function streamJson(
  pieces: Iterable<string> | Iterable<Uint8Array> | AsyncIterable<string | Uint8Array>,
  timeoutMs: number,
  ended: () => void,
  contentType = 'application/json',
): Response {
  let rest: Rest = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const state = { isOver: false }
  const end = () => {
    if (state.isOver) return
    state.isOver = true
    clearTimeout(timer)
    rest = [].values() // a stream that is kept does not keep what they are made of
    ended()
  }
  let giveUp = () => {}
  const timer = setTimeout(() => giveUp(), timeoutMs)
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        giveUp = () => {
          controller.error(new AppError('too_slow', 'The answer was not read in time'))
          end()
        }
      },
      async pull(controller) {
        await nextStart('streams') // those of many readers are not all written in one turn
        if (state.isOver) return
        let text = ''
        while (text.length < charactersAtOnce) {
          const next = await rest.next()
          if (state.isOver) return
          if (next.done === true) break
          if (typeof next.value === 'string') text += next.value
          else {
            if (text !== '') controller.enqueue(encoder.encode(text))
            return controller.enqueue(next.value)
          }
        }
        if (text !== '') return controller.enqueue(encoder.encode(text))
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': contentType } })
}
