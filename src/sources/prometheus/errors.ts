import { AppError } from '../../errors.ts'
import { basicCredentials } from '../../http/endpoint-auth.ts'
import { OutboundError, type OutboundFailure } from '../../http/outbound/error.ts'
import { secretPattern } from '../../http/secrets.ts'
import type { SourceAccess } from '../source.ts'
import { InvalidAnswer, isHtml, readError } from './answer.ts'

/** HTTP response with its body as text. */
export type Reply = { status: number; headers: Headers; text: string }

/** Cause of `source_refused`: 400 is about a parameter, 422 about the data. */
export class SourceRefusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

const maxDetail = 500

/** Error for a reply that is not a success: the source's message if the query is at fault, otherwise the status. */
export function replyError(access: SourceAccess, reply: Reply): AppError {
  const { status, text } = reply
  const message = withoutSecrets(access, sourceMessage(text))
  if ((status === 400 || status === 422) && !isHtml(text) && !isTimeoutText(text)) {
    const details = shorten(message || `HTTP ${status} without an error in JSON`)
    const cause = new SourceRefusal(status)
    return new AppError('source_refused', 'metrics source refused the query', { details, cause })
  }
  const reason = status >= 300 && status < 400 ? redirectReason(access, reply) : `HTTP ${status}${hints[status] ?? ''}`
  return unavailable(access, 'metrics source gave no usable answer', message === '' ? reason : `${reason}: ${message}`)
}

/** Error for a deadline that passed; `reason` says what was missing. */
export function deadlineError(access: SourceAccess, reason: string): AppError {
  return unavailable(access, 'metrics source did not answer', reason)
}

/** Translates a failed connection or an unreadable answer to `source_unavailable`; returns any other error unchanged. */
export function transportError(access: SourceAccess, error: unknown): unknown {
  if (error instanceof OutboundError) return unavailable(access, outboundSentences[error.failure], error.message, error)
  if (!(error instanceof InvalidAnswer)) return error
  return unavailable(access, 'metrics source gave no usable answer', error.message, error)
}

/** Returns a lost connection as an outcome that may be retried; throws any other error, which ends the query. */
export function lostConnection(error: unknown): OutboundError {
  if (error instanceof OutboundError && error.failure === 'lost') return error
  throw error
}

/** Milliseconds until a retry, at least `pauseMs`; null if a retry would not help. */
export function pauseBefore(outcome: Reply | OutboundError, pauseMs: number): number | null {
  if (outcome instanceof OutboundError) return pauseMs
  const { status, headers, text } = outcome
  if (status !== 429 && (status !== 503 || isTimeoutText(text))) return null
  return Math.max(pauseMs, retryAfterMs(headers))
}

export function reasonOf(outcome: Reply | OutboundError): string {
  return outcome instanceof OutboundError ? outcome.message : `HTTP ${outcome.status}`
}

/**
 * Milliseconds to wait by the header `Retry-After` (RFC 9110, 10.2.3); 0 without one. It has seconds, or a date, which is compared with
 * the clock of the source.
 */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(waitMs) ? 0 : waitMs
}

/**
 * True if the source stopped the query at its own time limit, which a retry would only repeat. Prometheus: 503 with this
 * `errorType`; VictoriaMetrics: 422, which only its text distinguishes from an invalid query.
 */
function isTimeoutText(text: string): boolean {
  const { error = '', errorType } = readError(text) ?? {}
  return errorType === 'timeout' || /timeout exceeded .*-search\.maxQueryDuration/s.test(error)
}

const hints: Record<number, string> = {
  401: ', check its credentials',
  403: ', check its credentials',
  404: ', check its address',
  405: ', check its address',
  429: ', it asks for fewer queries',
}

const outboundSentences: Record<OutboundFailure, string> = {
  forbidden: 'metrics source may not be reached',
  unreachable: 'metrics source did not answer',
  lost: 'metrics source did not answer',
  broken: 'metrics source gave no usable answer',
}

function unavailable(access: SourceAccess, message: string, reason: string, cause?: Error): AppError {
  return new AppError('source_unavailable', message, { details: `${access.name}: ${shorten(reason)}`, cause })
}

/** Describes a redirect by the origin of its target only: the rest of a login page's URL may contain a key. */
function redirectReason(access: SourceAccess, { status, headers }: Reply): string {
  const location = headers.get('location') ?? ''
  const target = URL.canParse(location) ? ` to ${withoutSecrets(access, new URL(location).origin)}` : ''
  return `HTTP ${status}, a redirect${target}, which is not followed`
}

/** Error message of the source; empty for any other text, which is not shown: it may be a page that only this machine can reach. */
function sourceMessage(text: string): string {
  return readError(text)?.error ?? ''
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxDetail ? `${line.slice(0, maxDetail - 1)}…` : line
}

/** Replaces the credentials in a text of the source: vmauth, for example, repeats an unknown token in its answer. */
function withoutSecrets({ apiUrl, auth }: SourceAccess, text: string): string {
  const secrets = [
    auth?.basic?.password ?? '',
    auth?.basic ? basicCredentials(auth.basic) : '',
    auth?.bearer?.token ?? '',
    ...Object.values(auth?.headers ?? {}),
    ...(URL.canParse(apiUrl) ? new URL(apiUrl).searchParams.values() : []),
  ]
  const patterns = secrets
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length)
    .map(secretPattern)
  return patterns.length === 0 ? text : text.replace(new RegExp(patterns.join('|'), 'g'), '***')
}

/** Minimum length of a secret to replace. Shorter ones, such as the tenant "1", occur in any text by chance. */
const minSecretLength = 4
