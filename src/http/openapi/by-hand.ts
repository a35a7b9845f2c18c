import type { Response } from './operation.ts'

// Schemas written by hand, for routes that read query strings and forms, and write responses, without a schema.

export type Schema = NonNullable<NonNullable<Response['content']>[string]['schema']> & { const?: unknown }

/** Fields by name. A string is the description of a text field. */
export type Fields = Record<string, string | Schema>

const schemaOf = (field: string | Schema): Schema & { description?: string } =>
  typeof field === 'string' ? { type: 'string', description: field } : field

/** Object schema with these fields. All of them are required unless `required` lists the required ones. */
export function objectOf(fields: Fields, required = Object.keys(fields)) {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]))
  return { type: 'object' as const, properties, required }
}

/** JSON response with an object of these fields; `example`: an example of the object. */
export function jsonResponse(
  description: string,
  fields: Fields,
  { required, example }: { required?: string[]; example?: object } = {},
) {
  const schema = { ...objectOf(fields, required), ...(example && { examples: [example] }) }
  return { description, content: { 'application/json': { schema } } }
}

/** Text response with one of these media types. */
export function textResponse(description: string, ...types: string[]) {
  const schema = { type: 'string' as const }
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** Query string parameters from fields. */
export function inQuery(fields: Fields, required: string[] = []) {
  const parameters = Object.entries(fields).map(([name, field]) => {
    const { description = '', ...schema } = schemaOf(field)
    return { name, in: 'query' as const, required: required.includes(name), description, schema }
  })
  return { parameters }
}

/** Form request body from fields. */
export function inForm(fields: Fields, required: string[], example: Record<string, string | string[]>) {
  const content = { 'application/x-www-form-urlencoded': { schema: objectOf(fields, required), example } }
  return { requestBody: { required: true, content } }
}
