import { AppError } from '../../errors.ts'
import { basicCredentials } from '../../http/endpoint-auth.ts'
import { OutboundError, type OutboundFailure } from '../../http/outbound/error.ts'
import type { SourceAccess } from '../source.ts'
import { GarbledAnswer, isHtml, readError } from './answer.ts'

/** One HTTP answer, with its body as text. */
export type Reply = { status: number; headers: Headers; text: string }

/** The cause of `source_refused`: 400 is said of a parameter, 422 of the data. */
export class SourceRefusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

const maxDetail = 500

/** The error for a reply that is not a success: the source's own message where the query is at fault, else what it did. */
export function replyError(access: SourceAccess, reply: Reply): AppError {
  const { status, text } = reply
  const said = sourceMessage(text)
  if ((status === 400 || status === 422) && !isHtml(text) && !saysTimeout(text)) {
    const details = shorten(access, said || `HTTP ${status} without an error in JSON`)
    const cause = new SourceRefusal(status)
    return new AppError('source_refused', 'metrics source refused the query', { details, cause })
  }
  const done = status >= 300 && status < 400 ? redirected(reply) : `HTTP ${status}${hints[status] ?? ''}`
  return unavailable(access, 'metrics source gave no usable answer', said === '' ? done : `${done}: ${said}`)
}

/** The error for a deadline that passed; `what` says what was waited for. */
export function lateError(access: SourceAccess, what: string): AppError {
  return unavailable(access, 'metrics source did not answer', what)
}

/** Translates what went wrong on the way to a whole, readable answer; anything else is returned as it came. */
export function transportError(access: SourceAccess, error: unknown): unknown {
  if (error instanceof OutboundError) return unavailable(access, outboundSentences[error.failure], error.message, error)
  if (!(error instanceof GarbledAnswer)) return error
  return unavailable(access, 'metrics source gave no usable answer', error.message, error)
}

/** A lost connection is an outcome that may be tried again; everything else ends the query. */
export function lostConnection(error: unknown): OutboundError {
  if (error instanceof OutboundError && error.failure === 'lost') return error
  throw error
}

/** How long to wait before trying again, given our own `pauseMs`; null where trying again would not help. */
export function pauseBefore(outcome: Reply | OutboundError, pauseMs: number): number | null {
  if (outcome instanceof OutboundError) return pauseMs
  const { status, headers, text } = outcome
  if (status !== 429 && (status !== 503 || saysTimeout(text))) return null
  return Math.max(pauseMs, retryAfterMs(headers))
}

export function reasonOf(outcome: Reply | OutboundError): string {
  return outcome instanceof OutboundError ? outcome.message : `HTTP ${outcome.status}`
}

/** RFC 9110 10.2.3: seconds, or a date, which is compared with the source's own clock. */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(waitMs) ? 0 : waitMs
}

/**
 * The source gave up on its own time limit, which asking again would only repeat. Prometheus: 503 with this
 * `errorType`; VictoriaMetrics: 422, which only its text distinguishes from a wrong query.
 */
function saysTimeout(text: string): boolean {
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

function unavailable(access: SourceAccess, message: string, what: string, cause?: Error): AppError {
  return new AppError('source_unavailable', message, { details: `${access.name}: ${shorten(access, what)}`, cause })
}

/** Names the origin only: the rest of a login page's address may hold a key. */
function redirected({ status, headers }: Reply): string {
  const location = headers.get('location') ?? ''
  const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `HTTP ${status}, a redirect${target}, which is not followed`
}

/** Any other text is left out: it may be a page that only this machine can read. */
function sourceMessage(text: string): string {
  return readError(text)?.error ?? ''
}

function shorten(access: SourceAccess, text: string): string {
  const line = withoutSecrets(access, text).replace(/\s+/g, ' ').trim()
  return line.length > maxDetail ? `${line.slice(0, maxDetail - 1)}…` : line
}

/** Takes the credentials out of a text: vmauth, for one, repeats a token it does not know in its answer. */
function withoutSecrets({ apiUrl, auth }: SourceAccess, text: string): string {
  const secrets = [
    auth?.basic?.password ?? '',
    auth?.basic ? basicCredentials(auth.basic) : '',
    auth?.bearer?.token ?? '',
    ...Object.values(auth?.headers ?? {}),
    ...(URL.canParse(apiUrl) ? new URL(apiUrl).searchParams.values() : []),
  ]
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

/** Shorter ones, such as the tenant "1", occur in any text by chance. */
const shortestSecret = 4
