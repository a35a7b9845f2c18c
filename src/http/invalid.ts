import type { ValidationError } from 'elysia'

type Problem = ValidationError['all'][number] | undefined

/**
 * Names the first field a request got wrong and what it wanted: `target: wanted a number above 0`. The sentence is the
 * `description` of the field's schema, else the validator's own.
 */
export function describeInvalid(error: ValidationError): string {
  const first = innermost(error.all[0])
  const path = first && 'path' in first ? first.path : ''
  const field = path.split('/').filter(Boolean).join('.')
  return `${field || error.type}: ${wanted(first)}`
}

/** Of a nullable object the field inside it that is wrong: the validator itself only says that no alternative fits. */
function innermost(problem: Problem): Problem {
  if (!problem || !('errors' in problem)) return problem
  const nested = problem.errors.flatMap((alternative) => [...alternative])
  const deeper = nested.find(({ path }) => path.length > problem.path.length)
  return deeper ? innermost({ ...deeper, summary: deeper.message }) : problem
}

function wanted(problem: Problem): string {
  if (!problem || !('schema' in problem)) return 'not valid'
  const { schema, message } = problem
  const alternatives: { description?: unknown }[] = [schema, ...(schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  if (typeof description === 'string') return `wanted ${description}`
  return schema.type === 'object' ? 'wanted a JSON object' : message
}
