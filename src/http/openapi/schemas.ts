import { boundsOfFormat } from '../checks/broken-rule.ts'
import { units } from './texts.ts'

/** JSON Schema as plain JSON. */
export type Schema = { [keyword: string]: Json }
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Schemas with a title, by title. */
export type Named = Record<string, Schema>

/**
 * Rewrites a TypeBox schema to one of OpenAPI 3.1: custom formats become bounds, unions of constants become enums, whole numbers
 * become integers, and times get the format `date-time`. A field that accepts anything (`Anything`) gets its `described` schema. A
 * schema with a `title` moves to `named` and is replaced by a reference. Throws if two different schemas have one title.
 */
export function publishedSchema(source: Schema, named: Named): Schema {
  const { described, nullable: _, additionalItems: __, ...rest } = source
  if (isSchema(described)) return publishedSchema(described, named)
  const schema = mergeUnion(withBounds(publishedParts(rest, named)))
  const { title } = schema
  if (typeof title !== 'string') return schema
  const { title: ___, ...untitled } = schema
  const registered = (named[title] ??= untitled)
  if (JSON.stringify(registered) !== JSON.stringify(untitled)) throw new Error(`two schemas have the title ${title}`)
  return { $ref: `#/components/schemas/${title}` }
}

function publishedParts(schema: Schema, named: Named): Schema {
  // TypeBox writes tuples as a list in `items`, and records of any names as the pattern `^(.*)$`
  const parts = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (Array.isArray(value) && /^(?:items|anyOf|allOf|oneOf)$/.test(keyword)) {
      return [keyword === 'items' ? 'prefixItems' : keyword, publishedSchemas(value, named)]
    }
    if (!isSchema(value)) return [keyword, value]
    if (keyword === 'items' || keyword === 'additionalProperties') return [keyword, publishedSchema(value, named)]
    if (keyword === 'properties') {
      return [keyword, mapSchemas(value, (one, name) => refineByName(name, publishedSchema(one, named)))]
    }
    if (keyword !== 'patternProperties') return [keyword, value]
    const { '^(.*)$': anyName, ...patterns } = mapSchemas(value, (one) => publishedSchema(one, named))
    return anyName ? ['additionalProperties', anyName] : [keyword, patterns]
  })
  return Object.fromEntries(parts)
}

/** Applies `change` to the schemas of an object; drops values that are not schemas. */
export function mapSchemas(schemas: Schema, change: (schema: Schema, name: string) => Schema): Record<string, Schema> {
  const entries = Object.entries(schemas).filter((one): one is [string, Schema] => isSchema(one[1]))
  return Object.fromEntries(entries.map(([name, one]) => [name, change(one, name)]))
}

function publishedSchemas(schemas: Json[], named: Named): Schema[] {
  return schemas.filter(isSchema).map((one) => publishedSchema(one, named))
}

const idPattern = '^[1-9][0-9]{0,14}$'
const formats: Record<string, string> = {
  'zoned-time': 'date-time',
  'e-mail': 'email',
  'base-url': 'uri',
  'scrape-url': 'uri',
  'redirect-uri': 'uri',
}

/**
 * Replaces custom formats, which clients do not know, with bounds or standard formats. For others, the description is enough.
 */
function withBounds(schema: Schema): Schema {
  if (schema['multipleOf'] === 1) {
    const { multipleOf: _, ...rest } = schema
    return asInteger(rest)
  }
  if (schema['pattern'] === idPattern) {
    const { pattern: _, ...rest } = schema
    return { ...rest, type: 'integer', minimum: 1, maximum: 999_999_999_999_999 }
  }
  const { format, ...rest } = schema
  if (typeof format !== 'string') return schema
  const { kind = null, min = 0, max = 0 } = boundsOfFormat(format) ?? {}
  if (kind === 'whole') return { ...rest, type: 'integer', minimum: min, maximum: max }
  if (kind === 'text') return { ...rest, ...(min === 0 ? {} : { minLength: min }), maxLength: max }
  return formats[format] === undefined ? rest : { ...rest, format: formats[format] }
}

/** Replaces a union of constants with an enum, and a union of a simple type and null with a list of types. */
function mergeUnion(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return withNull(schema)
  const alternatives = anyOf.filter(isSchema)
  if (alternatives.every((one) => typeof one['const'] === 'string')) {
    const values = alternatives.map((one) => one['const'] ?? null)
    const { description, ...bare } = rest // dropped if `OneOf` made it, because it only lists the values
    return { ...(description === `one of ${values.join(', ')}` ? bare : rest), type: 'string', enum: values }
  }
  const [one, ...more] = alternatives.filter(({ type }) => type !== 'null')
  const isSimple = alternatives.length === 2 && one && more.length === 0 && typeof one['type'] === 'string'
  return isSimple ? withNull({ ...one, ...rest, type: [one['type'] ?? 'null', 'null'] }) : schema
}

/** Adds null to the values of an enum whose types include it. */
function withNull(schema: Schema): Schema {
  const { type, enum: values } = schema
  const lacksNull = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null)
  return lacksNull ? { ...schema, enum: [...values, null] } : schema
}

const timeName = /(?:^|_)(?:at|time|timestamp|until|since|check)$/
const wholeNumberName = /(?:^|_)(?:id|count)$|^(?:page|page_size|revision)$/

/** Refines a schema by its field name, which has the same meaning everywhere. */
function refineByName(name: string, unrefined: Schema): Schema {
  const schema = withUnit(name, unrefined)
  const types = new Set([schema['type'] ?? []].flat())
  const isPlain = !('format' in schema || 'enum' in schema || 'pattern' in schema)
  if (types.has('string') && isPlain && timeName.test(name)) return { ...schema, format: 'date-time' }
  return types.has('number') && wholeNumberName.test(name) ? asInteger(schema) : schema
}

/** Descriptions that give only bounds, and not the unit of a number. */
const boundsOnly = /^(?:a whole number from \d+ to \d+|a number above 0 and at most \d+|at most \d+ numbers)$/

function withUnit(name: string, schema: Schema): Schema {
  const { type, items, description = '' } = schema
  const isList = isSchema(items) && [items['type']].flat().includes('number')
  const unit = isList || [type].flat().some((one) => one === 'number' || one === 'integer') ? units[name] : undefined
  if (unit === undefined || (description !== '' && !boundsOnly.test(String(description)))) return schema
  return { ...schema, description: description === '' ? unit : `${unit}; ${String(description)}` }
}

function asInteger(schema: Schema): Schema {
  const { type } = schema
  return { ...schema, type: Array.isArray(type) ? ['integer', ...type.filter((one) => one !== 'number')] : 'integer' }
}

export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
