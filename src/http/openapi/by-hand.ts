import type { Response } from './operation.ts'

/** For routes that read query strings and forms, and write their responses, without a schema. */

export type Schema = NonNullable<NonNullable<Response['content']>[string]['schema']> & { const?: unknown }

/** By name. A string is the description of a text. */
export type Fields = Record<string, string | Schema>

const schemaOf = (field: string | Schema): Schema & { description?: string } =>
  typeof field === 'string' ? { type: 'string', description: field } : field

/** An object with these fields; all of them are always there, unless `required` says which are. */
export function objectOf(fields: Fields, required = Object.keys(fields)) {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]))
  return { type: 'object' as const, properties, required }
}

/** A response of such an object in JSON; `example`: one of these objects. */
export function jsonOf(
  description: string,
  fields: Fields,
  { required, example }: { required?: string[]; example?: object } = {},
) {
  const schema = { ...objectOf(fields, required), ...(example && { examples: [example] }) }
  return { description, content: { 'application/json': { schema } } }
}

/** A response of text, of one of these types. */
export function textOf(description: string, ...types: string[]) {
  const schema = { type: 'string' as const }
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** The fields as parameters of the query string. */
export function inQuery(fields: Fields, required: string[] = []) {
  const parameters = Object.entries(fields).map(([name, field]) => {
    const { description = '', ...schema } = schemaOf(field)
    return { name, in: 'query' as const, required: required.includes(name), description, schema }
  })
  return { parameters }
}

/** The fields as a form. */
export function inForm(fields: Fields, required: string[], example: Record<string, string | string[]>) {
  const content = { 'application/x-www-form-urlencoded': { schema: objectOf(fields, required), example } }
  return { requestBody: { required: true, content } }
}
