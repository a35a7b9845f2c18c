import type { ValidationError } from 'elysia'

/**
 * Names the first field a request got wrong and what it wanted: `target: wanted a number above 0`. The sentence is the
 * `description` of the field's schema, else the validator's own.
 */
export function describeInvalid(error: ValidationError): string {
  const first = error.all[0]
  const path = first && 'path' in first ? first.path : ''
  const field = path.split('/').filter(Boolean).join('.')
  return `${field || error.type}: ${wanted(first)}`
}

function wanted(problem: ValidationError['all'][number] | undefined): string {
  if (!problem || !('schema' in problem)) return 'not valid'
  const { schema, message } = problem
  const alternatives: { description?: unknown }[] = [schema, ...(schema.anyOf ?? [])] // a nullable field is a union
  const { description } = alternatives.find((one) => typeof one.description === 'string') ?? {}
  if (typeof description === 'string') return `wanted ${description}`
  return schema.type === 'object' ? 'wanted a JSON object' : message
}
