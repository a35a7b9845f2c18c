import type { Populated } from './populated.ts'
import { goodBody } from './good-bodies.ts'
import { asPrometheus, pathTo } from './named-things.ts'

/** A request of the walk. `isPaged`: the length of its answer depends on the requested page size. */
export type WalkedRequest = {
  name: string
  method: string
  path: string
  body?: unknown
  isPublic: boolean
  isPaged: boolean
}

/** The parts of `/openapi.json` that the walk reads. */
type Described = {
  security?: unknown[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, unknown> }
}
export type Document = { paths: Record<string, Record<string, Described>> }

/** Maximum values of the parameters that limit an answer. */
const max: Record<string, string> = { page_size: '100', limit: '1000' }

/** Parameters that give the longest answer of these routes. */
const asked: Record<string, string> = {
  'GET /api/v1/slos/availability-trend': 'period=7d&step=11m',
  'GET /api/v1/slos/:id/series': 'period=7d&step=11m',
}
const allSeries = `match[]=${encodeURIComponent('{__name__=~".+"}')}`
const everything = encodeURIComponent('{__name__=~".+"}')
const ofPrometheus: Record<string, string> = {
  query: `query=${everything}`,
  query_range: `query=${everything}&start=0&end=1&step=1`,
  series: allSeries,
}

/** Skipped: they end the session the walk needs, never finish, or do not return JSON of an organization. */
const leftOut = new Set([
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/change-password',
  'POST /api/v1/auth/refresh', // using a refresh token twice ends its session
  'GET /api/v1/ws/subscribe',
  'DELETE /api/v1/organization',
])

/**
 * Requests to all operations of the OpenAPI document, about the things of a populated organization: reads first, deletes last.
 * Operations that take a form (OAuth2 only) are left out.
 */
export function walkOf(document: Document, own: Populated): WalkedRequest[] {
  const requests = Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([verb, operation]) => requestOf(template, verb.toUpperCase(), operation, own)),
  )
  const rank = ({ method }: WalkedRequest) => ['GET', 'POST', 'PUT', 'DELETE'].indexOf(method)
  return requests.filter((one) => one !== undefined).toSorted((a, b) => rank(a) - rank(b))
}

function requestOf(template: string, method: string, operation: Described, own: Populated): WalkedRequest | undefined {
  const route = template.replaceAll(/\{(\w+)\}/g, ':$1')
  const name = `${method} ${route}`
  const { parameters = [], requestBody, security } = operation
  if (leftOut.has(name) || (requestBody && !requestBody.content['application/json'])) return undefined
  const queries = parameters.filter((one) => one.in === 'query').map((one) => one.name)
  const query = [
    ...queries.flatMap((one) => (one in max ? [`${one}=${max[one]}`] : [])),
    ...(asked[name] ?? (asPrometheus.test(route) ? (ofPrometheus[route.split('/').at(-1) ?? ''] ?? '') : '')).split(
      '&',
    ),
  ].filter(Boolean)
  const body = goodBody({ name, method, path: route, query: undefined, body: requestBody && {} }, own)
  return {
    name,
    method,
    path: `${pathTo(route, own.things)}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    ...(body && { body }),
    isPublic: security?.length === 0,
    isPaged: queries.some((one) => one in max),
  }
}
