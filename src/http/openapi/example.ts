import { answers } from './examples/answers.ts'
import { fields } from './examples/fields.ts'
import { notificationSchemas } from './examples/notify-schemas.ts'
import { otherSchemas } from './examples/other-schemas.ts'
import { reportSchemas } from './examples/report-schemas.ts'
import { sloSchemas } from './examples/slo-schemas.ts'
import { isSchema, type Json, type Named, type Schema } from './schemas.ts'

const schemas: Record<string, Schema> = { ...sloSchemas, ...notificationSchemas, ...reportSchemas, ...otherSchemas }

/**
 * Builds the example of a response from its schema. Values come from the `examples` tables (by operation, by the title of each
 * schema, by the name of each field) and from `examples` in the schema itself. A field without a value is omitted, or null if
 * it is nullable; a test fails if such a field is required. `named`: schemas by title.
 */
export function exampleOf(schema: Schema, [operationId, status]: [string, string], named: Named): Json | undefined {
  return build(schema, answers[`${operationId} ${status}`] ?? answers[operationId], '')

  function build(schema: Schema, example: Json | undefined, name: string): Json | undefined {
    const title = typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? '') : null
    if (title !== null) return build(named[title] ?? {}, merged(schemas[title], example), name)
    const types = [schema['type'] ?? []].flat()
    const value = example === undefined ? fieldOf(schema, types, name) : example
    if (value === null) return null
    const { properties, items, anyOf } = schema
    if (isSchema(properties)) return objectOf(properties, schema['required'], value)
    if (isSchema(items)) {
      const itemExamples = Array.isArray(value) ? value : [undefined]
      return itemExamples.map((one) => build(items, one, name)).filter((one) => one !== undefined)
    }
    if (Array.isArray(anyOf)) {
      const first = anyOf.filter(isSchema).find(({ type }) => type !== 'null')
      return first ? build(first, example, name) : undefined
    }
    if (value !== undefined) return value
    if ('const' in schema) return schema['const']
    return types.includes('null') ? null : undefined
  }

  function objectOf(properties: Schema, required: Json | undefined, example: Json | undefined): Schema {
    const fieldExamples = isSchema(example) ? example : {}
    const isShown = (name: string) => name in fieldExamples || (Array.isArray(required) && required.includes(name))
    const shown = Object.entries(properties).flatMap(([name, one]): [string, Json][] => {
      const value = isSchema(one) && isShown(name) ? build(one, fieldExamples[name], name) : undefined
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(shown)
  }
}

function merged(schemaExample: Json | undefined, example: Json | undefined): Json | undefined {
  if (example === undefined) return schemaExample
  return isSchema(schemaExample) && isSchema(example) ? { ...schemaExample, ...example } : example
}

/** Example from the field's own schema, or from the table of field names if the type matches. */
function fieldOf(schema: Schema, types: Json[], name: string): Json | undefined {
  const { examples, enum: values } = schema
  if (Array.isArray(examples)) return examples[0]
  const value = fields[name]
  if (value === undefined || (Array.isArray(values) && !values.includes(value))) return undefined
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return types.includes(type) || (type === 'number' && types.includes('integer')) ? value : undefined
}
