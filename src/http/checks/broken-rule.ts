import type { ValidationError } from 'elysia'
import type { Problem, ProblemCode, ProblemParams } from '../../errors.ts'

type Found = NonNullable<ValidationError['valueError']>
type Rule = Required<Pick<Problem, 'code' | 'params'>>

type Bounds = { kind: 'text' | 'name' | 'whole'; min: number; max: number }

/**
 * Bounds in the name of a custom format, as in `text-1-100`: characters of a `text` or `name`, or values of a `whole` number. null
 * for a format without bounds in its name.
 */
export function boundsOfFormat(format: string): Bounds | null {
  const [, kind, min, max] = /^(text|name|whole)-(\d+)-(\d+)/.exec(format) ?? []
  return kind === undefined ? null : { kind: kind as Bounds['kind'], min: Number(min), max: Number(max) }
}

/** Value of TypeBox' `ValueErrorType.ObjectAdditionalProperties`; Elysia does not export the enum. */
const unexpectedProperty: Found['type'] = 42

/** Rule of a schema that a value breaks, as the code and params of a problem. */
export function brokenRule({ type, schema, value }: Pick<Found, 'type' | 'schema' | 'value'>): Rule {
  if (type === unexpectedProperty) return rule('unexpected')
  if (value === undefined) return rule('required')
  const allowed = constantsOf(schema)
  if (allowed.length > 0) return rule('not_allowed', { allowed })
  const expected = schema['type']
  if (typeof expected !== 'string') return rule('invalid')
  if (typeof value === 'string' && expected === 'string') return brokenByText(schema, value)
  if (typeof value === 'number' && (expected === 'number' || expected === 'integer'))
    return brokenByNumber(schema, value)
  if (Array.isArray(value) && expected === 'array') return brokenByList(schema, value)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return expected === 'object' && isObject ? rule('invalid') : rule('wrong_type', { expected })
}

function rule(code: ProblemCode, params: ProblemParams = {}): Rule {
  return { code, params }
}

/** Values of a schema that admits constants only, and perhaps null; empty for other schemas. */
function constantsOf(schema: Found['schema']): string[] {
  const alternatives = ([schema.anyOf ?? schema].flat() as Found['schema'][]).flatMap((one) => one.anyOf ?? one)
  const others = (alternatives as Found['schema'][]).filter(({ type }) => type !== 'null')
  return others.every((one) => one.const !== undefined) ? others.map((one) => String(one.const)) : []
}

function brokenByText(schema: Found['schema'], sent: string): Rule {
  const { format, minLength, maxLength } = schema
  const bounds = typeof format === 'string' ? boundsOfFormat(format) : null
  if (bounds?.kind === 'whole') {
    return /^-?\d+$/.test(sent)
      ? brokenByNumber({ minimum: bounds.min, maximum: bounds.max }, Number(sent))
      : wrongFormat
  }
  const { length } = bounds ? sent.trim() : sent
  const min = bounds?.min ?? minLength
  const max = bounds?.max ?? maxLength
  if (isNumber(max) && length > max) return rule('too_long', { max_characters: max })
  return isNumber(min) && length < min ? rule('too_short', { min_characters: min }) : wrongFormat
}

const wrongFormat = rule('wrong_format')

function brokenByNumber(schema: Record<string, unknown>, sent: number): Rule {
  const { minimum: min, exclusiveMinimum: above, maximum: max, exclusiveMaximum: below } = schema
  if (isNumber(min) && sent < min) return rule('too_small', { min })
  if (isNumber(above) && sent <= above) return rule('too_small', { above })
  if (isNumber(max) && sent > max) return rule('too_large', { max })
  if (isNumber(below) && sent >= below) return rule('too_large', { below })
  return rule('not_whole')
}

function brokenByList(schema: Found['schema'], sent: unknown[]): Rule {
  const { minItems: min, maxItems: max, uniqueItems } = schema
  if (isNumber(min) && sent.length < min) return rule('too_few', { min_items: min })
  if (isNumber(max) && sent.length > max) return rule('too_many', { max_items: max })
  return uniqueItems === true ? rule('duplicate') : rule('invalid')
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
