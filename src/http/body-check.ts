import { getSchemaValidator, type TSchema } from 'elysia'
import { invalidBody } from './invalid.ts'

/** Throws `invalid` for a body that is not as the route's schema says; `route` is the template (`/slos/:id`). */
export type BodyCheck = (method: string, route: string, body: unknown) => void

type Route = { method: string; path: string; hooks: { body?: unknown } }
type Validator = ReturnType<typeof getSchemaValidator<TSchema>>

/**
 * Elysia copies a body into the shape of its schema before it checks it (`{"0": "a", …}` of a text in place of an object),
 * and writes the whole of what was wrong into its error, several times. Both take seconds for a hostile body, so a body is
 * checked before Elysia sees it. `routes` is asked once, with the first body.
 */
export function createBodyCheck(routes: () => readonly Route[]): BodyCheck {
  let schemas: Map<string, TSchema> | undefined
  const validators = new Map<TSchema, Validator>()
  return (method, route, body) => {
    schemas ??= schemasOf(routes())
    const schema = schemas.get(`${method} ${route}`)
    if (!schema) return
    let validator = validators.get(schema)
    if (!validator) validators.set(schema, (validator = getSchemaValidator(openToUnknown(schema), open)))
    if (!validator.Check(body)) throw invalidBody(validator.Errors(body).First())
  }
}

const open = { additionalProperties: true, forceAdditionalProperties: true }

function schemasOf(routes: readonly Route[]): Map<string, TSchema> {
  return new Map(
    routes.flatMap(({ method, path, hooks: { body } }) =>
      isSchema(body) ? [[`${method} ${path}`, body] as const] : [],
    ),
  )
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null
}

/** A copy that allows fields it does not know, which Elysia drops later. A record, which has no fields, stays strict. */
function openToUnknown<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(openToUnknown) as T
  if (typeof schema !== 'object' || schema === null || Object.getPrototypeOf(schema) !== Object.prototype) return schema
  const copy = { ...schema } // symbols too, which say of what kind it is
  for (const [name, value] of Object.entries(schema)) Object.assign(copy, { [name]: openToUnknown(value) })
  return 'properties' in schema ? { ...copy, additionalProperties: true } : copy
}
