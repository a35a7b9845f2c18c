import type { ValidationError } from 'elysia'
import { type AppError, invalidAll, maxProblems, type Problem } from '../../errors.ts'
import { brokenRule } from './broken-rule.ts'

type SchemaError = NonNullable<ValidationError['valueError']>

/** Error for a failure of Elysia's own validation, which reports only the first problem. */
export function invalidRequest({ type, valueError }: ValidationError): AppError {
  return invalidAll(problemsFound(type, valueError ? [valueError] : []))
}

/**
 * Problems that a validator found: one per field, none inside a field that already has one, and at most one more than an error
 * lists. The message is made of the `description` of the field's schema, or of its type and bounds. `place`: the field of a problem
 * with the whole value.
 */
export function problemsFound(place: string, errors: Iterable<SchemaError>): Problem[] {
  const byField = new Map<string, Problem>()
  for (const problem of Iterator.from(errors).flatMap(innermost)) {
    const field = problem.path.split('/').filter(Boolean).join('.') || place
    const isKnown = byField.has(field) || [...byField.keys()].some((outer) => field.startsWith(`${outer}.`))
    if (!isKnown) byField.set(field, { field, message: messageOf(problem), ...brokenRule(problem.failed ?? problem) })
    if (byField.size > maxProblems) break
  }
  return byField.size > 0 ? [...byField.values()] : [{ field: place, message: 'not valid' }]
}

/**
 * Causes of a problem with a union, of which the validator only reports that no alternative matches: the problems of the fields
 * inside a nullable object, otherwise the same problem with `failed`, the problem of the alternative that has the type of the value.
 */
function innermost(problem: SchemaError): (SchemaError & { failed?: SchemaError | undefined })[] {
  const failures: SchemaError[] = []
  for (const alternative of problem.errors) {
    const inner = [...Iterator.from(alternative).take(maxProblems + 1)]
    if (inner[0] && inner[0].path.length > problem.path.length) return inner.flatMap(innermost)
    failures.push(...inner.slice(0, 1))
  }
  if (brokenRule(problem).code !== 'invalid') return [problem]
  return [{ ...problem, failed: failures.find((one) => brokenRule(one).code !== 'wrong_type') ?? failures[0] }]
}

function messageOf(problem: Pick<SchemaError, 'type' | 'schema' | 'value'>): string {
  const alternatives: { description?: unknown }[] = [problem.schema, ...(problem.schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  const must = typeof description === 'string' ? description : undescribed(problem)
  return problem.value === undefined ? `is required: ${must}` : `must be ${must}`
}

const nouns: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'a JSON object',
  string: 'a text',
}

/** Rule of a schema without a description, as words that follow "must be". */
function undescribed(problem: Pick<SchemaError, 'type' | 'schema' | 'value'>): string {
  const noun = nouns[String(problem.schema['type'])] ?? 'another value'
  const { code, params } = brokenRule(problem)
  const [bound] = Object.values(params)
  if (code === 'not_allowed') return `one of ${[bound].flat().join(', ')}`
  if (code === 'too_short' || code === 'too_long')
    return `${noun} of ${code === 'too_short' ? 'at least' : 'at most'} ${bound} characters`
  if (code === 'too_few' || code === 'too_many')
    return `${noun} with ${code === 'too_few' ? 'at least' : 'at most'} ${bound} entries`
  if (code === 'too_small') return `${noun} ${'above' in params ? 'above' : 'from'} ${bound}`
  if (code === 'too_large') return `${noun} ${'below' in params ? 'below' : 'of at most'} ${bound}`
  if (code === 'not_whole') return 'a whole number'
  return code === 'duplicate' ? `${noun} with each entry once` : noun
}
