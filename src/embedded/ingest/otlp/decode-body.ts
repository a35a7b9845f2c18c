import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { JobMessages } from '../../../concurrency/job-messages.ts'
import { hasRoomFor } from '../../../concurrency/memory.ts'
import type { WorkerPool } from '../../../concurrency/worker-pool.ts'
import { AppError } from '../../../errors.ts'
import { encodeJson, OtlpJsonError } from './encode-json.ts'
import { malformedMetrics } from './malformed.ts'

/** Bytes of JSON that take some milliseconds; more are read by a worker. */
const maxInlineBytes = 128 * 1024
const memoryPerJsonByte = 16
const timeoutMs = 10_000
const unzip = promisify(gunzip)

/** Name of the job that a worker does with `answerEncode`. */
export const encodeMetricsJob = 'encode-metrics'

type Sent = { body: ArrayBuffer; limitBytes: number }
type Encoded = { body: ArrayBuffer } | { refused: string; isTooLarge: boolean }

type Deps = { limitBytes: number; group: string; workers: Pick<WorkerPool, 'run'> }

/** Unpacks a body in the format of gzip, off the event loop. Throws `too_large` beyond the limit, and `invalid` for anything else. */
export async function unpackGzip(body: Uint8Array, limitBytes: number): Promise<Uint8Array> {
  try {
    return await unzip(body, { maxOutputLength: limitBytes })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(`must be at most ${limitBytes} bytes uncompressed (INGEST_DECODED_LIMIT)`)
    }
    throw malformedMetrics('body: must be compressed by gzip')
  }
}

/** Converts a request in JSON to protobuf. Throws `too_large`, `unavailable`, and `invalid` for what is no request in JSON. */
export async function encodeMetrics(body: Uint8Array, { limitBytes, group, workers }: Deps): Promise<Uint8Array> {
  const answer = body.length <= maxInlineBytes ? encode(body, limitBytes) : await byWorker()
  if ('body' in answer) return new Uint8Array(answer.body)
  throw answer.isTooLarge ? tooLarge(answer.refused) : malformedMetrics(`body: ${answer.refused}`)

  async function byWorker(): Promise<Encoded> {
    if (!(await hasRoomFor(memoryPerJsonByte * body.length))) {
      throw new AppError('unavailable', 'nines has no memory for the request at the moment')
    }
    const sent: Sent = { body: new Uint8Array(body).buffer, limitBytes }
    return workers.run<Sent, Encoded, Encoded>(
      encodeMetricsJob,
      async (messages) => {
        messages.post(sent, [sent.body])
        return messages.next()
      },
      { group, deadlineMs: timeoutMs, urgent: true },
    )
  }
}

/** Does the job `encodeMetricsJob` in a worker. */
export async function answerEncode({ next, post }: JobMessages<Encoded, Sent>): Promise<void> {
  const { body, limitBytes } = await next()
  const answer = encode(new Uint8Array(body), limitBytes)
  post(answer, 'body' in answer ? [answer.body] : [])
}

function encode(body: Uint8Array, limitBytes: number): Encoded {
  try {
    return { body: new Uint8Array(encodeJson(body, limitBytes)).buffer }
  } catch (error) {
    if (!(error instanceof OtlpJsonError)) throw error
    return { refused: error.message, isTooLarge: error.isTooLarge }
  }
}

function tooLarge(details: string): AppError {
  return new AppError('too_large', 'Request body too large', { details: `body: ${details}` })
}
