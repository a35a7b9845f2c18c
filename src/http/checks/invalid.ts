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
 * lists. The message is the `description` of the field's schema, or the validator's own message. `place` names a value that is
 * not an object.
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
 * Problems of the fields inside a nullable object. The validator itself only reports that no alternative matches. `failed`: the
 * problem of the alternative that has the type of the value.
 */
function innermost(problem: SchemaError): (SchemaError & { failed?: SchemaError | undefined })[] {
  const failures: SchemaError[] = []
  for (const alternative of problem.errors) {
    const inside = [...Iterator.from(alternative).take(maxProblems + 1)]
    if (inside[0] && inside[0].path.length > problem.path.length) return inside.flatMap(innermost)
    failures.push(...inside.slice(0, 1))
  }
  if (brokenRule(problem).code !== 'invalid') return [problem]
  return [{ ...problem, failed: failures.find((one) => brokenRule(one).code !== 'wrong_type') ?? failures[0] }]
}

function messageOf({ schema, message }: Pick<SchemaError, 'schema' | 'message'>): string {
  const alternatives: { description?: unknown }[] = [schema, ...(schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  if (typeof description === 'string') return `must be ${description}`
  return schema['type'] === 'object' ? 'must be a JSON object' : message
}
