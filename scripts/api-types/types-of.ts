import type { Document, Json, Operation, Schema } from '../../test/contract/document.ts'

/**
 * Generates a module with the types of an OpenAPI document: `Schemas` has the components by name, `Responses` the JSON of each
 * successful response by operation id. Throws for an unsupported schema, and for a reference to an unknown schema.
 */
export function typesOf({ paths, components }: Pick<Document, 'paths' | 'components'>): string {
  const schemas = Object.entries(components.schemas)
  const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs))
  const types = [
    `export type Schemas = ${object(schemas.map(([name, schema]) => field(name, schema, true)))}`,
    `export type Responses = ${object(operations.flatMap(responseOf))}`,
  ].join('\n\n')
  for (const [, name = ''] of types.matchAll(/Schemas\['(\w+)'\]/g)) {
    if (!(name in components.schemas)) throw new Error(`the document has no schema ${name}`)
  }
  return `// Made by scripts/api-types.ts.\n\n${types}\n`
}

function responseOf({ operationId, responses }: Operation): string[] {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const schema = response && 'content' in response ? response.content?.['application/json']?.schema : undefined
  return schema ? [field(operationId, schema, true)] : []
}

function field(name: string, schema: Schema, isRequired: boolean): string {
  const { description } = schema
  const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */\n` : ''
  return `${comment}${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(schema)}`
}

function object(fields: string[]): string {
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n').replaceAll(/^/gm, '  ')}\n}`
}

function typeOf(schema: Schema): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema
  if (typeof $ref === 'string') return `Schemas['${$ref.split('/').at(-1)}']`
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) return alternatives.map((one) => typeOf(asSchema(one))).join(' | ')
  if (Array.isArray(allOf)) return allOf.map((one) => typeOf(asSchema(one))).join(' & ')
  if (type === undefined) return 'unknown'
  return [type]
    .flat()
    .map((one) => typeOfKind(String(one), schema))
    .join(' | ')
}

function typeOfKind(kind: string, schema: Schema): string {
  if (kind === 'array') return arrayOf(schema)
  if (kind === 'object') return objectOf(schema)
  const simple = new Map([
    ['string', 'string'],
    ['boolean', 'boolean'],
    ['number', 'number'],
    ['integer', 'number'],
    ['null', 'null'],
  ]).get(kind)
  if (simple === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`)
  return simple
}

function arrayOf({ items, prefixItems }: Schema): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((one) => typeOf(asSchema(one))).join(', ')}]`
  return items === undefined ? 'unknown[]' : `(${typeOf(asSchema(items))})[]`
}

function objectOf({ properties, required, additionalProperties, patternProperties }: Schema): string {
  if (properties !== undefined) {
    const named = Object.entries(asSchema(properties))
    const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
    return object(named.map(([name, one]) => field(name, asSchema(one), isRequired(name))))
  }
  const values = [additionalProperties ?? [], Object.values(asSchema(patternProperties ?? {}))].flat()
  const types = values.filter((one) => typeof one === 'object').map((one) => typeOf(asSchema(one)))
  return `Record<string, ${types.join(' | ') || 'unknown'}>`
}

function asSchema(value: Json | undefined): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`no schema: ${JSON.stringify(value)}`)
  }
  return value
}
