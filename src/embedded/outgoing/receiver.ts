import type { Clock } from '../../clock.ts'
import { createAbort } from '../../concurrency/abort.ts'
import type { Config } from '../../config.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { readRetryAfter } from '../../http/outbound/retry-after.ts'
import { version } from '../../../package.json' with { type: 'json' }

/**
 * Outcome of a request. `refused`: it would be refused again. `retry`: it may be sent again, after `afterMs` if the receiver asks
 * for a pause. `status`: of the answer; null: no answer came. `text`: what the answer says, of a receiver that the operator chose.
 */
export type Sent =
  | { outcome: 'sent' }
  | { outcome: 'refused'; status: number; text: string }
  | { outcome: 'retry'; status: number | null; text: string; afterMs: number }

/** Sends the body of a remote write request. Throws only if the signal is aborted. */
export type Receiver = (body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<Sent>

type RemoteWriteConfig = Pick<
  Config,
  'remoteWriteHeaders' | 'remoteWriteUsername' | 'remoteWritePassword' | 'remoteWriteBearerToken'
>

const timeoutMs = 30_000
const maxTextBytes = 1000

export function createReceiver(
  url: string,
  config: RemoteWriteConfig,
  { outbound, clock }: { outbound: Pick<Outbound, 'fetch'>; clock: Clock },
): Receiver {
  const headers = headersOf(config)
  return async (body, signal) => {
    using ending = createAbort(signal, timeoutMs)
    try {
      const answer = await outbound.fetch(url, {
        method: 'POST',
        headers,
        body,
        maxBytes: maxTextBytes,
        allowPrivate: true, // set by the operator
        signal: ending.signal,
      })
      return readAnswer(answer, clock.now())
    } catch (error) {
      signal.throwIfAborted()
      const text = ending.isLate ? `no answer within ${timeoutMs / 1000} s` : problemOf(error)
      return { outcome: 'retry', status: null, text, afterMs: 0 }
    }
  }
}

type Answer = { status: number; headers: Headers; body: Buffer }

function readAnswer({ status, headers, body }: Answer, nowMs: number): Sent {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  const text = body.toString().replace(/\s+/g, ' ').trim()
  if (status >= 400 && status < 500 && status !== 429) return { outcome: 'refused', status, text }
  return { outcome: 'retry', status, text, afterMs: readRetryAfter(headers.get('retry-after'), nowMs) ?? 0 }
}

function headersOf(config: RemoteWriteConfig): Headers {
  const { remoteWriteHeaders, remoteWriteUsername, remoteWritePassword, remoteWriteBearerToken } = config
  const headers = new Headers()
  for (const line of remoteWriteHeaders?.split('\n') ?? []) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  if (remoteWriteBearerToken !== null) headers.set('authorization', `Bearer ${remoteWriteBearerToken}`)
  if (remoteWriteUsername !== null) {
    const pair = Buffer.from(`${remoteWriteUsername}:${remoteWritePassword ?? ''}`)
    headers.set('authorization', `Basic ${pair.toString('base64')}`)
  }
  headers.set('content-type', 'application/x-protobuf')
  headers.set('content-encoding', 'snappy')
  headers.set('x-prometheus-remote-write-version', '0.1.0')
  headers.set('user-agent', `nines/${version}`)
  return headers
}

/** Text of an error, without anything that might repeat the URL. */
function problemOf(error: unknown): string {
  return error instanceof OutboundError ? error.message : 'the request failed'
}
