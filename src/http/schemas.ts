import { getSchemaValidator, type Static, t, type TSchema } from 'elysia'
import { FormatRegistry } from 'elysia/type-system'
import { invalidAll } from '../errors.ts'
import { findTimeZone } from '../zone.ts'
import { problemsFound } from './checks/invalid.ts'

// Each `description` below completes the sentence "must be …" of an error.

type TextOptions = { min?: number; max: number; lines?: 'one' | 'many' }

/** Trimmed text. Control characters are refused, except line breaks and tabs if `lines` is `many`. */
export function Text(options: TextOptions) {
  const { min = 1, max, lines = 'one' } = options
  const description = `${min} to ${max} characters, no control characters${lines === 'many' ? ' but line breaks' : ''}`
  return Trimmed(`text-${min}-${max}-${lines}`, description, (value) => isText(value, options))
}

/** Name of something: one line with at least one visible character. */
export function Name({ max }: { max: number }) {
  const description = `1 to ${max} characters, one of them visible, no control characters`
  return Trimmed(`name-1-${max}`, description, (value) => isText(value, { max }) && visible.test(value))
}

/** String with a custom format, checked by `fits`. */
export function Format(name: string, description: string, fits: (value: string) => boolean) {
  FormatRegistry.Set(name, fits)
  return t.String({ format: name, description })
}

/** String that is decoded with `decode`. */
export function Decoded<T>(schema: ReturnType<typeof t.String>, decode: (value: string) => T) {
  return t.Transform(schema).Decode(decode).Encode(String)
}

/** String with a custom format, trimmed when decoded. `fits` checks it as sent. */
export function Trimmed(name: string, description: string, fits: (value: string) => boolean) {
  return Decoded(Format(name, description, fits), (value) => value.trim())
}

/** True if `Text` accepts the value; for values that no schema checks. */
export function isText(value: string, { min = 1, max, lines = 'one' }: TextOptions): boolean {
  const text = value.trim()
  return text.length >= min && text.length <= max && !(lines === 'one' ? control : controlInLines).test(text)
}

// oxlint-disable-next-line no-control-regex -- the control characters to be found
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u
// oxlint-disable-next-line no-control-regex -- the control characters to be found
const controlInLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/u

/** Visible character: neither white space nor a combining mark, and with a glyph. */
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u

/** Id in a path, decoded to a number. */
export function Id(noun: string) {
  const description = `the ${noun} id, a whole number from 1`
  return Decoded(t.String({ pattern: '^[1-9][0-9]{0,14}$', description }), Number)
}

/** An id inside a JSON body. */
export function BodyId(noun: string) {
  const description = `the ${noun} id, a whole number from 1`
  return t.Number({ multipleOf: 1, minimum: 1, maximum: maxId, description })
}

const maxId = 999_999_999_999_999

/** A whole number inside a JSON body. */
export function WholeNumber({ min, max }: { min: number; max: number }) {
  const description = `a whole number from ${min} to ${max}`
  return t.Number({ multipleOf: 1, minimum: min, maximum: max, description })
}

/** A whole number in a query string. */
export function QueryNumber({ min, max }: { min: number; max: number }) {
  const fits = (value: string) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
  return Decoded(Format(`whole-${min}-${max}`, `a whole number from ${min} to ${max}`, fits), Number)
}

/** An id in a query string. */
export const QueryId = QueryNumber({ min: 1, max: maxId })

/** String from a fixed list. */
export function OneOf<const T extends readonly [string, ...string[]]>(
  values: T,
  description = `one of ${values.join(', ')}`,
) {
  const union = t.Union(
    values.map((value) => t.Literal(value)),
    { description },
  )
  return t.Unsafe<T[number]>(union) // the decoded type of a union of unknown length would be `never`
}

/** Accepts anything: the route reads the body itself. The API reference shows `described` instead. */
export function Anything(described: TSchema) {
  return t.Unknown({ described })
}

/** Type guard for a response schema, for values whose types are unknown, such as stored JSON. */
export function guardOf<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  const validator = compiledAtFirstUse(schema)
  return (value): value is Static<T> => validator().Check(value)
}

/**
 * Checks and decodes a body that no route schema covers. Throws the same error as for a body that a route schema refuses.
 * Needed for nullable lists, which Elysia copies before it checks them: `""` becomes an empty list, `{"length": 1e9}` takes
 * minutes.
 */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const validator = compiledAtFirstUse(schema)
  return (value) => {
    if (!validator().Check(value)) throw invalidAll(problemsFound('body', validator().Errors(value)))
    return validator().Decode(value)
  }
}

/** Compiles a schema at its first use, to keep the start fast. */
function compiledAtFirstUse<T extends TSchema>(schema: T) {
  const compile = () => getSchemaValidator(schema)
  let compiled: ReturnType<typeof compile> | undefined
  return () => (compiled ??= compile())
}

/** Fields of a problem in a response, beside its field, message and code. */
export const ProblemParts = {
  params: t.Record(t.String(), t.Union([t.String(), t.Number(), t.Array(t.String())]), {
    description: 'numbers and names of the message, by keys that each code has',
  }),
  fix: t.Optional(
    t.Record(t.String(), t.Union([t.String(), t.Number(), t.Null()]), {
      description:
        'fields of the request to change, with the values that solve the problem; absent if nines knows none',
    }),
  ),
}

export const Message = t.Object({ message: t.String() }, { title: 'Message' })

export const timeZoneText = 'an IANA time zone such as Europe/Zurich'

/** Name of a time zone in any case, decoded to its canonical form. */
export const TimeZone = Decoded(
  Format('time-zone', timeZoneText, (value) => findTimeZone(value) !== undefined),
  (value) => findTimeZone(value) ?? value,
)
