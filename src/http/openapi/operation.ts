import type { DocumentDecoration, TSchema } from 'elysia'
import type { Problem } from '../../errors.ts'

export type Response = Exclude<NonNullable<DocumentDecoration['responses']>[string], { $ref: string }>

/** Error response with an `Error` body; `example`: an example of that body. */
export function errorResponse(
  description: string,
  example?: { error: string; [more: string]: string | number | Problem[] },
): Response {
  const schema = { $ref: '#/components/schemas/Error' }
  const examples = example && { example: { success: false, ...example } }
  return { description, content: { 'application/json': { schema, ...examples } } }
}

type Detail = { [status: number]: string | Response; description?: string | undefined }

/** `detail` of a route without schemas. A text for a status describes the meaning of that error in this route. */
export function detailOf(operationId: string, summary: string, detail: Detail = {}) {
  const { description } = detail
  const responses: Record<string, Response> = {}
  for (const status of statusesIn(detail)) {
    const one = detail[status]
    if (one !== undefined) responses[status] = typeof one === 'string' ? errorResponse(one) : one
  }
  return { operationId, summary, ...(description !== undefined && { description }), responses }
}

/** Keys of an object that are numbers. They come before the other keys, so the loop stops at the first key that is no number. */
function statusesIn(object: object): number[] {
  const statuses: number[] = []
  for (const key of Object.keys(object)) {
    const status = Number(key)
    if (!Number.isInteger(status)) break
    statuses.push(status)
  }
  return statuses
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
 * Schemas of a route and its description in the API reference. By status: the schema of a response, or a text that describes
 * the meaning of an error in this route. `responses` describes all other responses. Omit what the schemas and the guard imply:
 * `describeApi` adds it.
 */
export function operation<const S extends Shape>(operationId: string, summary: string, shape: S): Hook<S> {
  const { params, query, body, description, responses } = shape
  const response: Record<number, TSchema> = {}
  const detail = detailOf(operationId, summary, { description })
  for (const status of statusesIn(shape)) {
    const one = shape[status]
    if (typeof one === 'string') detail.responses[status] = errorResponse(one)
    else if (one !== undefined) response[status] = one
  }
  if (responses) Object.assign(detail.responses, responses)
  const hook = {
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    response,
    detail,
  }
  return hook as unknown as Hook<S>
}
