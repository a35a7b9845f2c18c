import * as fc from 'fast-check'
import type { Document, Json, Schema } from './document.ts'

/** Values for fields that refer to existing things, by field name. */
export type Known = Record<string, Json>

/** Values that a schema of the document allows; fields that refer to something mostly get an existing id. */
export function valid(document: Document, schema: Schema, known: Known): fc.Arbitrary<Json> {
  const inside = (one: Json | undefined) => valid(document, isSchema(one) ? one : {}, known)
  if (typeof schema['$ref'] === 'string') {
    return inside(document.components.schemas[schema['$ref'].split('/').at(-1) ?? ''])
  }
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  if ('const' in schema) return fc.constant(schema['const'] ?? null)
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map(inside))
  const types = [schema['type'] ?? []].flat()
  return types.length === 0 ? anything() : fc.oneof(...types.map((type) => ofType(String(type), schema, inside, known)))
}

/** A valid value with one field removed or replaced by anything. */
export function spoilt(good: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.tuple(good, fc.nat(), fc.boolean(), anything()).map(([value, at, drop, other]) => {
    if (!isSchema(value)) return other
    const names = Object.keys(value)
    const name = names[at % Math.max(1, names.length)]
    if (name === undefined) return other
    const { [name]: _, ...rest } = value
    return drop ? rest : { ...rest, [name]: other }
  })
}

export function anything(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
}

type Inside = (schema: Json | undefined) => fc.Arbitrary<Json>

function ofType(type: string, schema: Schema, inside: Inside, known: Known): fc.Arbitrary<Json> {
  const number = (name: string, otherwise: number) => (typeof schema[name] === 'number' ? schema[name] : otherwise)
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: number('minimum', -1000), max: number('maximum', 1000) })
    case 'number': {
      const min = number('exclusiveMinimum', number('minimum', -1e6))
      const max = number('exclusiveMaximum', number('maximum', 1e6))
      const [minExcluded, maxExcluded] = ['exclusiveMinimum' in schema, 'exclusiveMaximum' in schema]
      return fc.double({ min, max, minExcluded, maxExcluded, noNaN: true })
    }
    case 'array':
      return fc.array(inside(schema['items']), {
        minLength: number('minItems', 0),
        maxLength: Math.min(4, number('maxItems', 4)),
      })
    case 'string':
      return text(schema, number('minLength', 0), Math.min(60, number('maxLength', 60)))
  }
  return record(schema, inside, known)
}

const times = ['2026-11-21T09:30:00Z', '2026-11-20T23:59:59+01:00', '2026-11-21T10:00:00.123Z', '2027-02-01T00:00:00Z']
const formats: Record<string, string[]> = {
  'date-time': times,
  email: ['grace@example.com', 'a.b+c@xn--bcher-kva.example'],
  uri: ['https://new.example/callback', 'http://127.0.0.1:9', 'http://localhost:9/prometheus'],
}

function text(schema: Schema, minLength: number, maxLength: number): fc.Arbitrary<Json> {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { maxLength })
  const words = formats[String(format)]
  if (words) return fc.constantFrom(...words)
  return fc.string({ minLength, maxLength, unit: fc.constantFrom(...'abz09 _-."{}=/é→') })
}

function record(
  { properties, required, patternProperties, additionalProperties, ...schema }: Schema,
  inside: Inside,
  known: Known,
) {
  if (isSchema(properties)) {
    const fields = Object.entries(properties).map(([name, one]): [string, fc.Arbitrary<Json>] => [
      name,
      known[name] === undefined
        ? inside(one)
        : fc.oneof({ weight: 4, arbitrary: fc.constant(known[name]) }, inside(one)),
    ])
    const requiredKeys = Array.isArray(required) ? required.map(String) : []
    return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true })
  }
  const [names, values] = isSchema(patternProperties) ? (Object.entries(patternProperties)[0] ?? []) : []
  const name =
    names === undefined
      ? fc.string({ minLength: 1, maxLength: 9 })
      : fc.stringMatching(new RegExp(names), { maxLength: 20 })
  const minKeys = typeof schema['minProperties'] === 'number' ? schema['minProperties'] : 0
  return fc.dictionary(name, inside(values ?? additionalProperties), { minKeys, maxKeys: 3, noNullPrototype: true })
}

export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
