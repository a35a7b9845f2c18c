import { expect, test } from 'bun:test'
import { typesOf } from '../../scripts/api-types/types-of.ts'
import type { Schema } from '../contract/document.ts'

const typeOf = (schema: Schema, more: Record<string, Schema> = {}) =>
  /One: (.+?)\n {2}(?:\w|$)|One: (.+?)\n\}/s
    .exec(typesOf({ paths: {}, components: { schemas: { One: schema, ...more }, responses: {} } }))
    ?.slice(1)
    .find(Boolean)
    ?.replaceAll(/\s+/g, ' ')

test.each([
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'string | null'],
  [{ type: ['string', 'null'], enum: ['up', 'down', null] }, '"up" | "down" | null'],
  [{ const: true, type: 'boolean' }, 'true'],
  [{ anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'string' } }] }, 'number | (string)[]'],
  [{ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }, '[number, string]'],
  [{ type: 'object', additionalProperties: { type: ['number', 'null'] } }, 'Record<string, number | null>'],
  [{ type: 'object', patternProperties: { '^a': { type: 'string' } } }, 'Record<string, string>'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'string' }, '7d_change': { type: 'number' } } },
    '{ a: string "7d_change"?: number }',
  ],
] satisfies [Schema, string][])('%j is of the type %p', (schema, type) => {
  expect(typeOf(schema)).toBe(type)
})

test('a schema is named where it is referred to, and must be there', () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Two' } }
  expect(typeOf(schema, { Two: { type: 'string' } })).toBe("(Schemas['Two'])[]")
  expect(() => typeOf(schema)).toThrow('the document has no schema Two')
})

test('a kind of value that is not known is an error, not any value', () => {
  expect(() => typeOf({ type: 'decimal' })).toThrow('no type for {"type":"decimal"}')
})

test('a description is the comment of its field, and cannot end it', () => {
  const described = { type: 'object', properties: { a: { type: 'string', description: 'ends */ here' } } }
  expect(typeOf(described)).toBe('{ /** ends * / here */ a?: string }')
})

test('what an operation responds with on success is listed by its id', () => {
  const response = (type: string) => ({
    description: '',
    content: { 'application/json': { schema: { type } } },
  })
  const operation = {
    operationId: 'getOne',
    summary: '',
    tags: [],
    responses: { 201: response('number'), 400: response('string') },
  }
  const paths = { '/one': { get: operation } }
  expect(typesOf({ paths, components: { schemas: {}, responses: {} } })).toContain('  getOne: number\n')
})
