import { getSchemaValidator, type Static, t, type TSchema } from 'elysia'
import { FormatRegistry } from 'elysia/type-system'
import { invalidAll } from '../errors.ts'
import { problemsFound } from './checks/invalid.ts'

/** Every `description` below completes the sentence "must be …" of an error. */

type TextOptions = { least?: number; most: number; lines?: 'one' | 'many' }

/** Text that is trimmed; control characters are refused, but for line breaks and tabs where there may be many lines. */
export function Text(options: TextOptions) {
  const { least = 1, most, lines = 'one' } = options
  const description = `${least} to ${most} characters, no control characters${lines === 'many' ? ' but line breaks' : ''}`
  return Trimmed(`text-${least}-${most}-${lines}`, description, (value) => isText(value, options))
}

/** What people call a thing: one line, in which there is something to see. */
export function Name({ most }: { most: number }) {
  const description = `1 to ${most} characters, one of them visible, no control characters`
  return Trimmed(`name-${most}`, description, (value) => isText(value, { most }) && visible.test(value))
}

/** A string of a format of ours, which `fits` checks. */
export function Format(name: string, description: string, fits: (value: string) => boolean) {
  FormatRegistry.Set(name, fits)
  return t.String({ format: name, description })
}

/** What `decode` makes of a string. */
export function Decoded<T>(schema: ReturnType<typeof t.String>, decode: (value: string) => T) {
  return t.Transform(schema).Decode(decode).Encode(String)
}

/** A string of a format of ours, decoded without the white space around it; `fits` gets it as sent. */
export function Trimmed(name: string, description: string, fits: (value: string) => boolean) {
  return Decoded(Format(name, description, fits), (value) => value.trim())
}

/** Whether `Text` takes it, where no schema can check. */
export function isText(value: string, { least = 1, most, lines = 'one' }: TextOptions): boolean {
  const text = value.trim()
  return text.length >= least && text.length <= most && !(lines === 'one' ? control : controlInLines).test(text)
}

// oxlint-disable-next-line no-control-regex -- to be found
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u
// oxlint-disable-next-line no-control-regex -- to be found
const controlInLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/u

/** A character that is no space, shows by itself, and is not drawn as nothing. */
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u

/** A path's id, as a number. */
export function Id(what: string) {
  const description = `the ${what} id, a whole number from 1`
  return Decoded(t.String({ pattern: '^[1-9][0-9]{0,14}$', description }), Number)
}

/** An id inside a JSON body. */
export function BodyId(what: string) {
  const description = `the ${what} id, a whole number from 1`
  return t.Number({ multipleOf: 1, minimum: 1, maximum: maxId, description })
}

const maxId = 999_999_999_999_999

/** A whole number inside a JSON body. */
export function WholeNumber({ least, most }: { least: number; most: number }) {
  const description = `a whole number from ${least} to ${most}`
  return t.Number({ multipleOf: 1, minimum: least, maximum: most, description })
}

/** A whole number in a query string. */
export function QueryNumber({ least, most }: { least: number; most: number }) {
  const fits = (value: string) => /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most
  return Decoded(Format(`whole-${least}-${most}`, `a whole number from ${least} to ${most}`, fits), Number)
}

/** An id in a query string. */
export const QueryId = QueryNumber({ least: 1, most: maxId })

/** One of a fixed list of strings. */
export function OneOf<const T extends readonly [string, ...string[]]>(
  values: T,
  description = `one of ${values.join(', ')}`,
) {
  const union = t.Union(
    values.map((value) => t.Literal(value)),
    { description },
  )
  return t.Unsafe<T[number]>(union) // of a union of unknown length, the type of what it decodes to would be never
}

/** Anything: the route reads it by itself. The reference has `described` in its place. */
export function Anything(described: TSchema) {
  return t.Unknown({ described })
}

/** Whether a value is as a schema of an answer says, for what was kept outside of the types. */
export function guardOf<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  const validator = compiledAtFirstUse(schema)
  return (value): value is Static<T> => validator().Check(value)
}

/**
 * Reads a body as a schema says, and throws as for a body that is not so: for what no schema of a route may say. Of a
 * nullable list Elysia copies whatever was sent before it is checked: `""` as an empty one, `{"length": 1e9}` for minutes.
 */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const validator = compiledAtFirstUse(schema)
  return (value) => {
    if (!validator().Check(value)) throw invalidAll(problemsFound('body', validator().Errors(value)))
    return validator().Decode(value)
  }
}

/** A start would compile all of them. */
function compiledAtFirstUse<T extends TSchema>(schema: T) {
  const compile = () => getSchemaValidator(schema)
  let compiled: ReturnType<typeof compile> | undefined
  return () => (compiled ??= compile())
}

export const Message = t.Object({ message: t.String() }, { title: 'Message' })
