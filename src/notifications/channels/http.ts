import { minuteMs } from '../../clock.ts'
import { parseJson } from '../../http/bodies/json.ts'
import { readRetryAfter } from '../../http/outbound/retry-after.ts'
import { OutboundError, outboundError } from '../../http/outbound/error.ts'
import type { ChannelDeps, Outcome } from './channel.ts'

/** Response of a receiver: the first 64 KB, unless `maxBytes` differs. `json` is undefined if the body is not JSON. */
export type HttpAnswer = { status: number; headers: Headers; text: string; json: unknown }

/** Request with a `json` body, a text `body`, or none. `maxBytes`: limit for reading the response. */
export type HttpRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  json?: unknown
  body?: string
  maxBytes?: number
}

const maxWaitMs = 15 * minuteMs
const retriedStatuses = new Set([408, 425, 429])

/** Sends a request. Returns the response of any status, or the outcome if there is none. Throws only `signal.reason`. */
export async function exchange(
  { outbound }: Pick<ChannelDeps, 'outbound'>,
  url: string,
  { method = 'POST', headers = {}, json, body = bodyOf(json), maxBytes = 65_536 }: HttpRequest,
  signal: AbortSignal,
): Promise<{ answer: HttpAnswer } | { failure: Outcome }> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  // lower case: fetch would join two headers that differ only in case
  const lowerCaseHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const request = {
    method,
    headers: { 'user-agent': 'nines', ...type, ...lowerCaseHeaders },
    ...(body !== undefined && { body }),
  }
  try {
    const { status, headers: received, body: read } = await outbound.fetch(url, { ...request, signal, maxBytes })
    const text = read.toString()
    const answer = {
      status,
      headers: received,
      text,
      // parsed on demand: few callers need it
      get json() {
        return parseOrUndefined(text)
      },
    }
    return { answer }
  } catch (error) {
    signal.throwIfAborted()
    const { failure, message } = error instanceof OutboundError ? error : outboundError(error)
    return { failure: { outcome: failure === 'forbidden' ? 'failed' : 'retry', statusCode: null, error: message } }
  }
}

function bodyOf(json: unknown): string | undefined {
  return json === undefined ? undefined : JSON.stringify(json)
}

/**
 * Outcome of a response, for receivers without special rules. Any 2xx is an acknowledgement. 408, 425, 429 and 5xx can be
 * retried after Retry-After or `retryAfterMs`, whichever is longer, but at most after 15 minutes. Any other status, redirects
 * included, would fail again.
 */
export function outcomeOf(answer: HttpAnswer, { clock }: Pick<ChannelDeps, 'clock'>, retryAfterMs = 0): Outcome {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return { outcome: 'delivered', statusCode: status }
  const error = `the receiver answered ${status}${errorTextIn(answer.json)}`
  if (!retriedStatuses.has(status) && status < 500) return { outcome: 'failed', statusCode: status, error }
  const afterMs = Math.max(retryAfterMs, readRetryAfter(headers.get('retry-after'), clock.now()) ?? 0)
  const wait = afterMs > 0 ? { retryAfterMs: Math.min(maxWaitMs, afterMs) } : {}
  return { outcome: 'retry', statusCode: status, error, ...wait }
}

/** Failure reported by a 2xx response whose `ok` or `success` is `false`; null if it reports none. */
export function failureIn2xx({ status, json }: HttpAnswer): Outcome | null {
  if (status >= 300 || (jsonValueAt(json, 'ok') !== false && jsonValueAt(json, 'success') !== false)) return null
  return { outcome: 'failed', statusCode: status, error: `the receiver answered ${status}, not ok${errorTextIn(json)}` }
}

/** Turns `delivered` into a failure if the response lacks the product's confirmation: the URL belongs to another service. */
export function unlessConfirmed(outcome: Outcome, isConfirmed: boolean, product: string): Outcome {
  if (outcome.outcome !== 'delivered' || isConfirmed) return outcome
  const { statusCode } = outcome
  return { outcome: 'failed', statusCode, error: `the receiver answered ${statusCode}, but not as ${product} does` }
}

/** Value at a path in JSON; undefined if there is none. */
export function jsonValueAt(json: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), json)
}

/** Milliseconds of a wait that a receiver requests in seconds; 0 if it requests none. */
export function requestedWaitMs(seconds: unknown): number {
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 0
}

/**
 * Error text from a JSON response, taken only from the fields that such services use. The rest of the body is never returned:
 * it may be a page that only this machine can reach.
 */
export function errorTextIn(json: unknown): string {
  const first = errorPaths.map((path) => jsonValueAt(json, ...path)).find(isFilled)
  const errors = jsonValueAt(json, 'errors')
  const all = [first, ...(Array.isArray(errors) ? errors : [])].filter(isFilled)
  return summary(all.join(': '))
}

const errorPaths = [['errorDescription'], ['error'], ['error', 'message'], ['message'], ['description'], ['detail']]

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Text as one short line after a colon; empty for an empty text. */
export function summary(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' ? '' : `: ${truncate(line, 200)}`
}

/** Text cut to at most `max` UTF-16 units. A cut is marked by `…` and splits no character. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Text, or its longest beginning that fits, which ends in `…`; empty if none fits. */
export function truncateToFit(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  let longest = 0
  let tooLong = text.length
  while (tooLong - longest > 1) {
    const max = (longest + tooLong) >> 1
    if (fits(truncate(text, max))) longest = max
    else tooLong = max
  }
  return longest === 0 ? '' : truncate(text, longest)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
