import { type AppError, type Problem, withGot } from '../../errors.ts'
import { queryValues } from './query.ts'

/** Path parameters and body of a request, as they were sent; its query string is read from the URL. */
export type Sent = { params: unknown; body: unknown }

type Sender = Pick<Request, 'url'>

const sentIn = new WeakMap<Sender, Sent>()

/** Keeps what a request has sent, for `withSent`, as long as the request object exists. */
export function keepSent(request: Sender, sent: Sent): void {
  sentIn.set(request, sent)
}

/** Adds `got`, the value in a few words, to each problem of a field that the request has sent, except for secrets. */
export function withSent(error: AppError, request: Sender): AppError {
  const sent = sentIn.get(request)
  return sent && error.problems.length > 0 ? withGot(error, (problem) => gotOf(problem, request, sent)) : error
}

/** Problems that a value does not explain: two are about the name of a field, and the third has the message of a source. */
const withoutGot = new Set<Problem['code']>(['unexpected', 'unknown_parameter', 'query_refused'])

function gotOf({ field, code }: Problem, { url }: Sender, { params, body }: Sent): string | undefined {
  if (withoutGot.has(code) || isSecretField(field)) return undefined
  const value = valueAt(params, field) ?? parameter(url, field) ?? valueAt(body, field)
  if (value !== undefined) return isSecretText(field, value) ? undefined : describeValue(value)
  if (field !== 'body' || body === undefined || isRecord(body)) return undefined
  return typeof body === 'string' ? 'a text' : describeValue(body)
}

/** Value of a query parameter; several as a list. */
function parameter(url: string, name: string): string | string[] | undefined {
  const values = queryValues(url, name)
  return values.length > 1 ? values : values[0]
}

/** Value at a path as in `members.0.slo_id`; a key may have dots itself. undefined: nothing was sent there. */
function valueAt(value: unknown, path: string): unknown {
  if (!isRecord(value) && !Array.isArray(value)) return undefined
  const fields = value as Record<string, unknown>
  if (Object.hasOwn(fields, path)) return fields[path]
  const dot = path.indexOf('.')
  const name = path.slice(0, dot)
  return dot > 0 && Object.hasOwn(fields, name) ? valueAt(fields[name], path.slice(dot + 1)) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const maxCharacters = 40

/** A value in a few words: numbers, booleans and null as in JSON, texts in quotes and cut, lists by their length. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (isRecord(value)) return 'an object'
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Control characters, lone surrogates, invisible characters and those that change the text direction; they are escaped. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function quote(text: string): string {
  const beginning = text.slice(0, 2 * maxCharacters + 2)
  const characters = [...beginning]
  const cut = characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text
  return `"${cut.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(unseen, escapeCharacter)}"`
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? String.raw`\u{${code}}` : String.raw`\u${code.padStart(4, '0')}`
}

/** Names of fields that are secret, or have secrets inside: those of other servers, of channels and of accounts. */
const secretName =
  /^(?:auth|config|configuration|headers|body|certificate|cookie|credentials?)$|(?:^|[_-])(?:code|key|password|passphrase|secret|token|verifier|assertion)$/i

/** True if a part of a path, as in `auth.basic.password`, names a secret, or what has secrets inside. */
function isSecretField(field: string): boolean {
  return field !== 'body' && field.split('.').some((name) => secretName.test(name))
}

const urlField = /(?:^|[._])(?:urls?|uris?|target|link)(?:\.\d+)?$/

/** Matches an access token (JWT), a token of nines or a header of either. */
const credential = /^(?:ey[\w-]{10}|nineso?_[\w-]{32}|(?:Basic|Bearer) )/i

/** True for a text that may have credentials: a URL with a user, a query or a fragment, a token, or an `Authorization` header. */
function isSecretText(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isUrl = urlField.test(field) || value.includes('://')
  return (isUrl && /[?#@]/.test(value)) || credential.test(value.trim())
}
