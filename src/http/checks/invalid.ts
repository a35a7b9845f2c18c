import type { ValidationError } from 'elysia'
import { type AppError, invalidAll, maxProblems, type Problem } from '../../errors.ts'

type Found = NonNullable<ValidationError['valueError']>

/** The error for what Elysia's own validation found, which is the first problem only. */
export function invalidRequest({ type, valueError }: ValidationError): AppError {
  return invalidAll(problemsFound(type, valueError ? [valueError] : []))
}

/**
 * The problems a validator found: one for each field, none inside of a field that has one, at most one more than an error
 * has. Its message is the `description` of the field's schema, else the validator's own. `place` is the field of a value
 * that is no object at all.
 */
export function problemsFound(place: string, found: Iterable<Found>): Problem[] {
  const byField = new Map<string, Problem>()
  for (const { path, ...rest } of Iterator.from(found).flatMap(innermost)) {
    const field = path.split('/').filter(Boolean).join('.') || place
    const isKnown = byField.has(field) || [...byField.keys()].some((outer) => field.startsWith(`${outer}.`))
    if (!isKnown) byField.set(field, { field, message: messageOf(rest) })
    if (byField.size > maxProblems) break
  }
  return byField.size > 0 ? [...byField.values()] : [{ field: place, message: 'not valid' }]
}

/** Of a nullable object the fields inside it that are wrong: the validator itself only says that no alternative fits. */
function innermost(problem: Found): Found[] {
  for (const alternative of problem.errors) {
    const inside = [...Iterator.from(alternative).take(maxProblems + 1)]
    if (inside[0] && inside[0].path.length > problem.path.length) return inside.flatMap(innermost)
  }
  return [problem]
}

function messageOf({ schema, message }: Pick<Found, 'schema' | 'message'>): string {
  const alternatives: { description?: unknown }[] = [schema, ...(schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  if (typeof description === 'string') return `must be ${description}`
  return schema['type'] === 'object' ? 'must be a JSON object' : message
}
