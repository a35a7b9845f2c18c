import { type AppError, type Problem, withGot } from '../../errors.ts'
import { isSecretField, isSecretText } from './secret-fields.ts'

/** Parts of a request that have fields, as they were sent. */
export type Sent = { params: unknown; query: unknown; body: unknown }

const sentIn = new WeakMap<object, Sent>()

/** Keeps what a request has sent, for `withSent`, as long as there is the request. */
export function keepSent(request: object, sent: Sent): void {
  sentIn.set(request, sent)
}

/** The error with `got` in each problem of a field that the request has sent. Secrets have none. */
export function withSent(error: AppError, request: object): AppError {
  const sent = sentIn.get(request)
  return sent && error.problems.length > 0 ? withGot(error, (problem) => gotOf(problem, sent)) : error
}

/** These rules are about the name of a field, which the problem has: its value says nothing. */
const ofNames = new Set<Problem['code']>(['unexpected', 'unknown_parameter'])

function gotOf({ field, code }: Problem, { params, query, body }: Sent): string | undefined {
  if (ofNames.has(code) || isSecretField(field)) return undefined
  const value = [params, query, body].map((part) => valueAt(part, field)).find((one) => one !== undefined)
  if (value !== undefined) return isSecretText(field, value) ? undefined : describeValue(value)
  if (field !== 'body' || body === undefined) return undefined
  return typeof body === 'string' ? 'a string' : describeValue(body)
}

/** Value at a path as in `members.0.slo_id`; a key may have dots itself. undefined: nothing was sent there. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path]
  const dot = path.indexOf('.')
  const name = path.slice(0, dot)
  return dot > 0 && Object.hasOwn(value, name)
    ? valueAt((value as Record<string, unknown>)[name], path.slice(dot + 1))
    : undefined
}

const maxCharacters = 40

/** A value in a few words: numbers, booleans and null as in JSON, texts in quotes and cut, of lists and objects the kind. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Control characters, lone surrogates, invisible characters and those that turn the direction of a text, as in JavaScript. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function quote(text: string): string {
  const start = text.slice(0, 2 * maxCharacters + 2)
  const characters = [...start]
  const cut = characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text
  return `"${cut.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(unseen, escapeCharacter)}"`
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? String.raw`\u{${code}}` : String.raw`\u${code.padStart(4, '0')}`
}
