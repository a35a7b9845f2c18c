import type { DocumentDecoration, TSchema } from 'elysia'
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

type Detail = { [status: number]: string | Response; description?: string | undefined }

/** The `detail` of a route without schemas. A text by a status says what an error with it means here. */
export function detailOf(operationId: string, summary: string, { description, ...byStatus }: Detail = {}) {
  const responses = Object.fromEntries(
    Object.entries(byStatus).map(([status, one]) => [status, typeof one === 'string' ? problem(one) : one]),
  )
  return { operationId, summary, ...(description !== undefined && { description }), responses }
}

type Schemas = { params?: TSchema; query?: TSchema; body?: TSchema }
type Shape = Schemas & {
  [status: number]: TSchema | string
  description?: string
  responses?: Record<number, Response>
}
type Hook<S extends Shape> = Pick<S, keyof S & keyof Schemas> & {
  response: { [Status in keyof S & number as S[Status] extends TSchema ? Status : never]: S[Status] }
  detail: ReturnType<typeof detailOf>
}

/**
 * The schemas of a route and how the reference describes it. By status: the schema of a response, or a text that says what
 * an error means here; `responses` describes those that are neither. What the schemas and the guard imply is not repeated
 * here: `describeApi` adds it.
 */
export function operation<const S extends Shape>(operationId: string, summary: string, shape: S): Hook<S> {
  const { params, query, body, description, responses, ...byStatus } = shape
  const statuses = Object.entries(byStatus)
  const texts = Object.fromEntries(statuses.filter(([, one]) => typeof one === 'string'))
  const hook = {
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    response: Object.fromEntries(statuses.filter(([, one]) => typeof one !== 'string')),
    detail: detailOf(operationId, summary, { description, ...texts, ...responses }),
  }
  return hook as unknown as Hook<S>
}
