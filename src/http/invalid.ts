import type { ValidationError } from 'elysia'
import { AppError } from '../errors.ts'

type Problem = ValidationError['valueError']

/**
 * Names the first field a request got wrong and what it wanted: `target: wanted a number above 0`. The sentence is the
 * `description` of the field's schema, else the validator's own.
 */
export function describeInvalid({ type, valueError }: ValidationError): string {
  return describeProblem(type, valueError)
}

/** The error for a body in which a validator found this problem first. */
export function invalidBody(problem: Problem): AppError {
  return new AppError('invalid', 'Invalid request', { details: describeProblem('body', problem) })
}

function describeProblem(place: string, problem: Problem): string {
  const first = innermost(problem)
  const field = (first?.path ?? '').split('/').filter(Boolean).join('.')
  return `${field || place}: ${wanted(first)}`
}

/** Of a nullable object the field inside it that is wrong: the validator itself only says that no alternative fits. */
function innermost(problem: Problem): Problem {
  for (const alternative of problem?.errors ?? []) {
    const first = alternative.First()
    if (problem && first && first.path.length > problem.path.length) return innermost(first)
  }
  return problem
}

function wanted(problem: Problem): string {
  if (!problem) return 'not valid'
  const { schema, message } = problem
  const alternatives: { description?: unknown }[] = [schema, ...(schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  if (typeof description === 'string') return `wanted ${description}`
  return schema['type'] === 'object' ? 'wanted a JSON object' : message
}
