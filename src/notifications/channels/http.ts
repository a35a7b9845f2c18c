import { parseJson } from '../../http/bodies/json.ts'
import { OutboundError, outboundError } from '../../http/outbound/error.ts'
import type { ChannelDeps, Outcome } from './channel.ts'

/** What a receiver answered: the first 64 KB if no other bound is set; `json` is undefined where that is none. */
export type HttpAnswer = { status: number; headers: Headers; text: string; json: unknown }

/** `json` or `body` is sent, or nothing. `maxBytes`: so much of the answer is read. */
export type HttpRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  json?: unknown
  body?: string
  maxBytes?: number
}

const maxWaitMs = 15 * 60_000
const retried = new Set([408, 425, 429])

/** Sends a request and gives the answer, of whatever status, or the outcome where there is none. Throws only `signal.reason`. */
export async function exchange(
  { outbound }: Pick<ChannelDeps, 'outbound'>,
  url: string,
  { method = 'POST', headers = {}, json, body = bodyOf(json), maxBytes = 65_536 }: HttpRequest,
  signal: AbortSignal,
): Promise<{ answer: HttpAnswer } | { broken: Outcome }> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  // in one spelling: fetch would join two of the same name
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const request = {
    method,
    headers: { 'user-agent': 'nines', ...type, ...own },
    ...(body !== undefined && { body }),
  }
  try {
    const { status, headers: received, body: read } = await outbound.fetch(url, { ...request, signal, maxBytes })
    const text = read.toString()
    const answer = {
      status,
      headers: received,
      text,
      // few look at it
      get json() {
        return parsed(text)
      },
    }
    return { answer }
  } catch (error) {
    signal.throwIfAborted()
    const { failure, message } = error instanceof OutboundError ? error : outboundError(error)
    return { broken: { outcome: failure === 'forbidden' ? 'failed' : 'retry', statusCode: null, error: message } }
  }
}

function bodyOf(json: unknown): string | undefined {
  return json === undefined ? undefined : JSON.stringify(json)
}

/**
 * What an answer means where its receiver has no rules of its own: any 2xx is an acknowledgement; 408, 425, 429 and 5xx
 * can be tried again, after Retry-After, or after `retryAfterMs` if that is longer, a quarter of an hour at
 * most; all else, redirects too, would fail again.
 */
export function outcomeOf(answer: HttpAnswer, { clock }: Pick<ChannelDeps, 'clock'>, retryAfterMs = 0): Outcome {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return { outcome: 'delivered', statusCode: status }
  const error = `the receiver answered ${status}${said(answer.json)}`
  if (!retried.has(status) && status < 500) return { outcome: 'failed', statusCode: status, error }
  const afterMs = Math.max(retryAfterMs, readRetryAfter(headers.get('retry-after'), clock.now()) ?? 0)
  const wait = afterMs > 0 ? { retryAfterMs: Math.min(maxWaitMs, afterMs) } : {}
  return { outcome: 'retry', statusCode: status, error, ...wait }
}

/** For APIs whose answers have `ok` or `success`: the failure that a 2xx with one of them `false` is; null: it is none. */
export function saidNotOk({ status, json }: HttpAnswer): Outcome | null {
  if (status >= 300 || (at(json, 'ok') !== false && at(json, 'success') !== false)) return null
  return { outcome: 'failed', statusCode: status, error: `the receiver answered ${status}, not ok${said(json)}` }
}

/** The outcome, but a failure where a 2xx lacks what the product answers with: the URL is that of something else. */
export function unlessConfirmed(outcome: Outcome, isConfirmed: boolean, product: string): Outcome {
  if (outcome.outcome !== 'delivered' || isConfirmed) return outcome
  const { statusCode } = outcome
  return { outcome: 'failed', statusCode, error: `the receiver answered ${statusCode}, but not as ${product} does` }
}

/** What is at a path in JSON; undefined where there is nothing. */
export function at(json: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), json)
}

/** A wait that a receiver asks for in seconds, in milliseconds; 0 where it does not. */
export function waitMs(seconds: unknown): number {
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 0
}

/** Milliseconds from now; seconds, with a fraction too, or a date (RFC 9110, 10.2.3). Undefined for what is neither, or past. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // the oldest form of a date names no zone, and is in GMT like the others
  const timeMs = Date.parse(/^[A-Za-z]{3} .* \d{4}$/.test(text) ? `${text} GMT` : text)
  return Number.isNaN(timeMs) || timeMs <= nowMs ? undefined : timeMs - nowMs
}

/**
 * What a receiver says of an error in JSON: where such services say it, and nothing else of a body, which may be a page that
 * only this machine can read.
 */
export function said(json: unknown): string {
  const first = placesOfErrors.map((path) => at(json, ...path)).find(isFilled)
  const errors = at(json, 'errors')
  const all = [first, ...(Array.isArray(errors) ? errors : [])].filter(isFilled)
  return summary(all.join(': '))
}

const placesOfErrors = [['errorDescription'], ['error'], ['error', 'message'], ['message'], ['description'], ['detail']]

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** A text in one short line, behind a colon; empty for an empty one. */
export function summary(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' ? '' : `: ${cut(line, 200)}`
}

/** The text in at most `max` UTF-16 units; an `…` replaces what was cut off, and no character is cut in two. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The text, or the longest beginning of it that fits, which ends in `…`; empty where not even that does. */
export function cutTo(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  let longest = 0
  let tooLong = text.length
  while (tooLong - longest > 1) {
    const max = (longest + tooLong) >> 1
    if (fits(cut(text, max))) longest = max
    else tooLong = max
  }
  return longest === 0 ? '' : cut(text, longest)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
