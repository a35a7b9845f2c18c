import { testApp } from '../support/app.ts'
import { isSchema } from './arbitrary.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Schema = { [keyword: string]: Json }

export type Parameter = { name: string; in: 'path' | 'query'; required?: boolean; description?: string; schema: Schema }
export type Content = Record<string, { schema: Schema; example?: Json }>
export type Response = { description: string; content?: Content }
export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: Json[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response | { $ref: string }>
}
export type Document = {
  openapi: string
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

/** An operation with its location; `name` is `GET /api/v1/slos/:id`, as in the tests of all routes. */
export type Described = Operation & { name: string; method: string; path: string }

/** Reads the document from the server. */
export async function readDocument(): Promise<{ text: string; document: Document }> {
  const { call, close } = await testApp()
  const { text, body } = await call('GET', '/openapi.json', undefined, { token: null })
  await close()
  return { text, document: body }
}

export function operationsOf({ paths }: Document): Described[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      return { ...operation, method, path, name: `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}` }
    }),
  )
}

/** The documented answer of an operation for a status; undefined if there is none. */
export function answerOf({ components }: Document, { responses }: Operation, status: number): Response | undefined {
  const answer = responses[status]
  return answer && '$ref' in answer ? components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer
}

/** True if an operation describes this status itself, not by reference. */
export function describesStatus({ responses }: Operation, status: number): boolean {
  const answer = responses[status]
  return answer !== undefined && !('$ref' in answer)
}

export type Field = [name: string, schema: Schema]

/** Fields of all objects described in a value. */
export function fieldsIn(value: unknown): Field[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as { properties?: Json }
  const own = isSchema(properties) ? Object.entries(properties).filter((one): one is Field => isSchema(one[1])) : []
  return [...own, ...Object.values(value).flatMap(fieldsIn)]
}

/** Copy of a schema whose objects allow no other fields than the described ones. */
export function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, key === 'example' ? one : closed(one)])
  const isOpen = 'additionalProperties' in value || 'patternProperties' in value
  const isObject = isSchema((value as Schema)['properties']) && String((value as Schema)['type']).includes('object')
  return { ...Object.fromEntries(entries), ...(isObject && !isOpen && { additionalProperties: false }) } as T
}
