import { mock } from 'bun:test'
import * as elysia from 'elysia/schema'

type Options = NonNullable<Parameters<typeof elysia.getSchemaValidator>[1]>
type ResponseOptions = Parameters<typeof elysia.getResponseSchemaValidator>[1]

const { getSchemaValidator, getResponseSchemaValidator } = elysia
const known = new WeakMap<object, Map<string, unknown>>()
const coercions: unknown[] = []

/**
 * Compiles each schema once in the process, from now on. Elysia does so anew in each server, for each route that is called: 2 ms
 * a route.
 */
export function cacheValidators(): void {
  void mock.module('elysia/schema', () => ({
    ...elysia,
    getSchemaValidator: (schema: object | undefined, options: Options = {}) =>
      cached(schema, options, () => getSchemaValidator(schema as never, options)),
    getResponseSchemaValidator(schemas: object | undefined, options: ResponseOptions) {
      const compile = (some: object | undefined) => getResponseSchemaValidator(some as never, options)
      if (!schemas || Object.getOwnPropertySymbols(schemas).length > 0) return compile(schemas)
      const validators = Object.entries(schemas).map(([status, schema]) => [
        status,
        cached(schema, options, () => compile({ [status]: schema })?.[Number(status)]),
      ])
      return Object.fromEntries(validators)
    },
  }))
}

function cached(schema: object | undefined, options: Options | ResponseOptions, compile: () => unknown) {
  if (typeof schema !== 'object' || options.validators?.some(Boolean)) return compile()
  return known.getOrInsertComputed(schema, () => new Map()).getOrInsertComputed(keyOf(options), compile)
}

/** Text of the options that make a difference: nines names no models, and sanitizes nothing. */
function keyOf(options: Options | ResponseOptions): string {
  const { additionalProperties, dynamic, normalize } = options
  const { coerce, forceAdditionalProperties, additionalCoerce = [] } = options as Options
  const numbers = [additionalCoerce].flat().map(numberOf)
  return JSON.stringify([additionalProperties, dynamic, normalize, coerce, forceAdditionalProperties, numbers])
}

function numberOf(coercion: unknown): number {
  if (!coercions.includes(coercion)) coercions.push(coercion)
  return coercions.indexOf(coercion)
}
