import { snappyUncompressor } from 'hysnappy'
import type { JobMessages } from '../../concurrency/job-messages.ts'
import type { WorkerPool } from '../../concurrency/worker-pool.ts'
import { AppError } from '../../errors.ts'
import { malformed } from './malformed.ts'

/** Uncompressed bytes that take about a millisecond; more are uncompressed by a worker. */
const maxInlineBytes = 1024 * 1024
const timeoutMs = 10_000

/** Name of the job that a worker does with `answerUncompress`. */
export const uncompressJob = 'uncompress'

type Compressed = { body: ArrayBuffer; length: number }
type Uncompressed = { body: ArrayBuffer } | { refused: true }

let uncompressor: ReturnType<typeof snappyUncompressor> | undefined

/**
 * Uncompresses a body in Snappy's block format. Throws `too_large` beyond `limitBytes` before it takes any memory, and `invalid`
 * for a body that is not in this format or has another length than it says. The body cannot be read afterwards.
 */
export async function uncompress(
  body: Uint8Array,
  limitBytes: number,
  group: string,
  workers: Pick<WorkerPool, 'run'>,
): Promise<Uint8Array> {
  const length = announcedLength(body)
  if (length === undefined || !couldHold(body.length, length)) throw notSnappy()
  if (length > limitBytes) {
    throw new AppError('too_large', 'Request body too large', {
      details: `body: must be at most ${limitBytes} bytes uncompressed (INGEST_DECODED_LIMIT), not ${length}`,
    })
  }
  const uncompressed =
    length <= maxInlineBytes ? tryUncompress(body, length) : await byWorker(body, length, group, workers)
  if (uncompressed?.length !== length) throw notSnappy()
  return uncompressed
}

async function byWorker(body: Uint8Array, length: number, group: string, workers: Pick<WorkerPool, 'run'>) {
  const sent: Compressed = { body: new Uint8Array(body).buffer, length }
  const options = { group, deadlineMs: timeoutMs, urgent: true } // not behind a query of the organization
  const answer = await workers.run<Compressed, Uncompressed, Uncompressed>(
    uncompressJob,
    async (messages) => {
      messages.post(sent, [sent.body])
      return messages.next()
    },
    options,
  )
  return 'body' in answer ? new Uint8Array(answer.body) : undefined
}

/** Uncompresses, in a worker, the body that `uncompress` sends to it. */
export async function answerUncompress({ next, post }: JobMessages<Uncompressed, Compressed>): Promise<void> {
  const { body, length } = await next()
  const uncompressed = tryUncompress(new Uint8Array(body), length)
  if (!uncompressed) return post({ refused: true })
  const answer = uncompressed.buffer as ArrayBuffer
  post({ body: answer }, [answer])
}

function tryUncompress(body: Uint8Array, length: number): Uint8Array | undefined {
  uncompressor ??= snappyUncompressor()
  try {
    return length === 0 ? new Uint8Array(0) : uncompressor(body, length)
  } catch {
    return undefined
  }
}

/** Uncompressed length that the body begins with; undefined if it begins with no such number of 32 bits. */
function announcedLength(body: Uint8Array): number | undefined {
  let length = 0
  for (let at = 0; at < 5; at += 1) {
    const byte = body[at]
    if (byte === undefined) return undefined
    length += (byte & 127) * 2 ** (7 * at)
    if (byte < 128) return length < 2 ** 32 ? length : undefined
  }
  return undefined
}

/** True if so many bytes can give `length` uncompressed: three compressed bytes give at most 64, and an uncompressed byte takes at most six. */
function couldHold(bytes: number, length: number): boolean {
  return length <= 22 * bytes && bytes <= 6 * length + 5
}

function notSnappy(): AppError {
  return malformed('body: must be compressed in the block format of Snappy')
}
