import type { DocumentDecoration } from 'elysia'
import type { Problem } from '../../errors.ts'

export type Response = Exclude<NonNullable<DocumentDecoration['responses']>[string], { $ref: string }>

/** The response of a status whose body is an `Error`, of which `example` is one. */
export function problem(
  description: string,
  example?: { error: string; [more: string]: string | number | Problem[] },
): Response {
  const schema = { $ref: '#/components/schemas/Error' }
  const examples = example && { example: { success: false, ...example } }
  return { description, content: { 'application/json': { schema, ...examples } } }
}

/** By status: what an error with it means here, or a whole response. */
type More = { [status: number]: string | Response; description?: string }

/** The `detail` of a route. What its schemas and its guard imply is not repeated here: `describeApi` adds it. */
export function operation(operationId: string, summary: string, { description, ...byStatus }: More = {}) {
  const responses = Object.fromEntries(
    Object.entries(byStatus).map(([status, one]) => [status, typeof one === 'string' ? problem(one) : one]),
  )
  return { operationId, summary, ...(description !== undefined && { description }), responses }
}
