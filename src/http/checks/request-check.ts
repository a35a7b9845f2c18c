import { getSchemaValidator, type TSchema } from 'elysia'
import { invalidAll, type Problem } from '../../errors.ts'
import { problemsFound } from './invalid.ts'
import { levenshtein } from './levenshtein.ts'
import { moreProblems } from './more-problems.ts'
import { queryNames } from './query.ts'
import { keepSent } from './sent.ts'

/** Parts of a request that schemas describe; `route` is the template (`/slos/:id`). */
export type Checked = {
  request: Pick<Request, 'method' | 'url'>
  route: string
  params: unknown
  query: unknown
  body: unknown
}

/**
 * Throws `invalid` with everything that does not match the schemas of the route, and with unknown query parameters. What was sent
 * is kept for the texts of later errors.
 */
export type RequestCheck = (checked: Checked) => void

type Route = { method: string; path: string; hooks: { body?: unknown; query?: unknown; params?: unknown } }
type Find = (value: unknown) => Problem[]
/** `names`: query parameters of the route. */
type Finders = { params: Find; query: Find; names: Set<string>; body: Find }

/**
 * Checks a request before Elysia does. Elysia copies a body into the shape of its schema before it checks it (text in place of
 * an object becomes `{"0": "a", …}`), and repeats the whole invalid value in its error. Both take seconds for a hostile body.
 * `routes` is called once, at the first request.
 */
export function createRequestCheck(routes: () => readonly Route[]): RequestCheck {
  let routesByName: Map<string, Route> | undefined
  const prepared = new Map<Route, Finders>()
  return ({ request, route: path, params, query, body }) => {
    keepSent(request, { params, body })
    const { method, url } = request
    routesByName ??= new Map(routes().map((route) => [`${route.method} ${route.path}`, route]))
    const route = routesByName.get(`${method === 'HEAD' ? 'GET' : method} ${path}`)
    if (!route) return
    let finders = prepared.get(route)
    if (!finders) prepared.set(route, (finders = findersOf(route)))
    const { names } = finders
    const problems = [
      ...finders.params(params),
      ...queryNames(url).flatMap((name) => (names.has(name) ? [] : [unknownParameter(name, names)])),
      ...finders.query(query),
      ...finders.body(body),
    ]
    if (problems.length > 0) throw invalidAll(problems)
  }
}

function findersOf({ hooks: { params, query, body } }: Route): Finders {
  const names = new Set(isSchema(query) ? Object.keys(query['properties'] ?? {}) : [])
  return { params: finderOf('params', params), query: finderOf('query', query), names, body: finderOf('body', body) }
}

function finderOf(place: string, schema: unknown): Find {
  if (!isSchema(schema)) return () => []
  const validator = validators.getOrInsertComputed(schema, () => getSchemaValidator(openToUnknown(schema), openOptions))
  const more = (schema as { [moreProblems]?: (body: object) => Problem[] })[moreProblems]
  return (value) => {
    if (validator.Check(value)) return []
    const found = problemsFound(place, validator.Errors(value))
    if (!more || typeof value !== 'object' || value === null || Array.isArray(value)) return found
    const fields = new Set(found.map(({ field }) => field))
    return [...found, ...more(value).filter(({ field }) => !fields.has(field))]
  }
}

function unknownParameter(name: string, known: Set<string>): Problem {
  const suggestion = nearest(name, known)
  const instead =
    suggestion === undefined ? `which takes ${[...known].join(', ') || 'none'}` : `did you mean ${suggestion}?`
  return {
    field: name || 'query',
    message: `is not a query parameter of this route, ${instead}`,
    code: 'unknown_parameter',
    params: suggestion === undefined ? { known: [...known] } : { nearest: suggestion },
  }
}

/** Compiled once for all routes that share a schema. */
const validators = new WeakMap<TSchema, ReturnType<typeof getSchemaValidator<TSchema>>>()
const openOptions = { additionalProperties: true, forceAdditionalProperties: true }

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null
}

/** Copy of a schema that allows unknown fields, which Elysia drops later. A record, which has no fields, stays strict. */
function openToUnknown<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(openToUnknown) as T
  if (typeof schema !== 'object' || schema === null || Object.getPrototypeOf(schema) !== Object.prototype) return schema
  const copy = { ...schema } // copies symbols too, which hold the kind of the schema
  for (const [name, value] of Object.entries(schema)) Object.assign(copy, { [name]: openToUnknown(value) })
  return 'properties' in schema ? { ...copy, additionalProperties: true } : copy
}

/** Known name closest to a misspelled one; undefined if none is close. Letters in another order count as no difference. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const written = plain(name.slice(0, 50))
  const near = [...known]
    .map((one) => ({ one, distance: sorted(written) === sorted(plain(one)) ? 0 : levenshtein(written, plain(one)) }))
    .filter(({ one, distance }) => distance <= Math.floor(one.length / 3))
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.one
}

/** Normalizes a name: `pageSize`, `page-size` and `page_size` are equal. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function sorted(letters: string): string {
  return [...letters].toSorted().join('')
}
