import { Elysia, ValidationError } from 'elysia'
import { AppError, type ErrorKind, invalid, type ReportedProblem } from '../errors.ts'
import type { Log } from '../log.ts'
import { invalidRequest } from './checks/invalid.ts'
import { withSent } from './checks/sent.ts'
import type { RouteTable } from './openapi/routes-table.ts'

/** HTTP status of each kind of error. */
export const statusOf: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_slow: 408,
  too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limited: 429,
  source_refused: 500,
  internal: 500,
  delivery_failed: 500,
  source_unavailable: 503,
  unavailable: 503,
}

/** Body of every error response. */
type ErrorBody = {
  success: false
  error: string
  details?: string
  problems?: readonly ReportedProblem[]
  [more: string]: string | number | false | readonly ReportedProblem[] | undefined
}

type Deps = {
  log: Log
  routes: RouteTable
  /** Additional fields that clients of some paths expect in the body, or the body that they expect in its place. */
  extraFields?: (request: Request, error: AppError) => Record<string, string | number> | Uint8Array
  /** Page that a browser gets instead of a 404 error. */
  unknownPage?: (request: Request) => Promise<Response | undefined>
  /** Called for each request that is refused with `forbidden`. */
  onForbidden?: (request: Request, route: string, error: AppError) => void
}

/** Status and headers that a handler sets on its response, in Elysia's shape. */
export type ResponseHead = { status?: number | string; headers: Record<string, string | number> }

export function setError(set: ResponseHead, { kind, headers }: AppError): void {
  set.status = statusOf[kind]
  Object.assign(set.headers, headers)
}

/**
 * Turns anything thrown into the specified body and status. An unexpected error becomes a bare 500 and a log line. The router
 * would match `DELETE /slos/overview` with `/slos/:id`: such a request gets 405, before its body is read.
 */
export function errorHandler({ log, routes, extraFields = () => ({}), unknownPage, onForbidden }: Deps) {
  const refuseMisrouted = ({ path, route }: { path: string; route: string }) => {
    if (routes.isMisrouted(path, route)) throw methodNotAllowed(routes.methodsOf(path))
  }
  return new Elysia()
    .onTransform({ as: 'global' }, refuseMisrouted)
    .onError({ as: 'global' }, async ({ error, code, set, request, route }): Promise<ErrorBody | Response> => {
      const appError = code === 'NOT_FOUND' ? unrouted(request, routes) : translate(error)
      if (!appError) log.error('request failed', { method: request.method, route, error })
      const known = appError ?? new AppError('internal', 'Internal error')
      if (known.kind === 'forbidden') onForbidden?.(request, route, known)
      const answer = withSent(known, request) // only now: logs and audit do not repeat what was sent
      setError(set, answer)
      const page = code === 'NOT_FOUND' && answer.kind === 'not_found' ? await unknownPage?.(request) : undefined
      if (page) return page
      const details = answer.details === undefined ? {} : { details: answer.details }
      const problems = answer.problems.length === 0 ? {} : { problems: answer.problems }
      const extra = extraFields(request, answer)
      if (extra instanceof Uint8Array) {
        return new Response(new Uint8Array(extra), {
          status: statusOf[answer.kind],
          headers: { 'content-type': 'application/x-protobuf' },
        })
      }
      return { ...answer.body, success: false, error: answer.message, ...details, ...problems, ...extra }
    })
}

function translate(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  return error instanceof ValidationError && error.type !== 'response' ? invalidRequest(error) : undefined
}

function unrouted(request: Request, routes: RouteTable): AppError {
  const url = URL.parse(request.url, 'http://localhost') // relative without a Host header, invalid with a malformed one
  if (!url) return invalid('Host', 'must be a host name or address')
  const allowed = routes.methodsOf(url.pathname)
  return allowed.length === 0 ? new AppError('not_found', 'Not found') : methodNotAllowed(allowed)
}

function methodNotAllowed(allowed: string[]): AppError {
  const headers = { Allow: allowed.join(', ') }
  return new AppError('method_not_allowed', 'Method not allowed', { details: `must be ${headers.Allow}`, headers })
}
