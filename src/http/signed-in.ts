import { Elysia } from 'elysia'
import { mayStart, nextStart } from '../concurrency/cooperative.ts'
import type { ActingCredential, Origin, TokenScope } from '../origin.ts'
import { AppError } from '../errors.ts'
import { isAtLeast, type Role } from '../role.ts'
import { announcedBytes, type BodyBounds, deferBody, readJson, readOptionalJson } from './bodies/body.ts'
import type { BodyBudget } from './bodies/body-budget.ts'
import type { StreamedResponses } from './bodies/streamed-responses.ts'
import { type OnTagged, tagResponses } from './headers/etag.ts'
import type { OriginReader } from './headers/origin.ts'
import type { RequestCheck } from './checks/request-check.ts'
import type { ResponseCache } from './response-cache.ts'

/** User and organization that a bearer token authenticates, with its role. */
export type Identity = {
  userId: number
  organizationId: number
  email: string
  name: string
  role: Role
  /** Session of the token; `null`: an API token or an OAuth2 token, which has no session. */
  sessionId: number | null
  /** All that its API token may do; null or absent: all that the role may. */
  scope?: TokenScope | null
  /** True: the session may do nothing before a second factor is set up. */
  mustSetUpSecondFactor?: boolean
  credential: ActingCredential
}

/** Authenticated caller of a request. Everything a handler reads or writes belongs to `organizationId`. */
export type Caller = Identity & { origin: Origin }

/**
 * Resolves an `Authorization` header to an identity; throws `unauthenticated`, and `forbidden` for a token that has another scope
 * than the request needs.
 */
export type TokenReader = { identify(authorization: string | null, scope?: TokenScope): Promise<Identity> }

/** `body`: bounds of each request body. */
export type OpenDeps = { originOf: OriginReader; body: BodyBounds; checkRequest: RequestCheck }
/** `onCaller` is called with the caller before the permission check. */
export type GuardDeps = OpenDeps & {
  tokens: TokenReader
  onCaller?: (request: Request, caller: Caller) => void
  bodyBudget: BodyBudget
  /** Response cache, for routes that opt in. */
  answers: Pick<ResponseCache, 'keep' | 'limit'>
  /** Set for routes whose responses browsers may cache; see `tagResponses`. */
  onTagged?: OnTagged
  /** Sender of long responses. */
  streamedResponses: StreamedResponses
}

/** Reads the body of a caller's request; `readJson` by default. `route`: its template, as in `/tsdb/sources/:id`. */
type BodyReader = (request: Request, bounds: BodyBounds, caller: Caller, route: string) => Promise<unknown>

/** Limits of requests by their callers. Each throws an error for a request that is too many. */
export type Admission = {
  /** Called before the token is read. */
  before(origin: Origin): void
  /** Called after `before` if the request has no valid token. */
  unknown(origin: Origin): void
  known(caller: Caller): void
}

/**
 * `writes`: minimum role for methods other than GET and HEAD. `reads`: minimum role for GET and HEAD; absent: `viewer`.
 * `bySession`: writes need the access token of a session, since they change permissions. `scope`: API tokens with this scope may
 * use the resource, too. `authorizeWrite` throws for a caller who may not write to the resource. `readBody`: absent: `readJson`.
 * `admission`: limits of the resource.
 */
type Options = Omit<GuardDeps, 'answers' | 'streamedResponses'> & {
  admission?: Admission
  reads?: Role
  writes: Role
  bySession?: boolean
  scope?: TokenScope
  authorizeWrite?: (caller: Caller, params: Record<string, string | undefined>) => Promise<void> | void
  readBody?: BodyReader
}

const readMethods = new Set(['GET', 'HEAD'])

/** Body reader of requests that may have no body: one to `…/test` then tries what is stored, one to `…/acknowledge` has no note. */
export const readJsonOrNothing: BodyReader = (request, bounds, _, route) =>
  (/\/(test|acknowledge)$/.test(route) ? readOptionalJson : readJson)(request, bounds)

/** Guard: every route below needs a token. The body is read only after the caller is known. */
export const signedIn = ({ tokens, onCaller, originOf, readBody = readJson, onTagged, ...deps }: Options) => {
  const guard = new Elysia()
    .derive({ as: 'scoped' }, async ({ request, server }) => {
      const origin = originOf(request, server)
      deps.admission?.before(origin)
      const identity = await tokens
        .identify(request.headers.get('authorization'), deps.scope)
        .catch((error: unknown) => {
          if (error instanceof AppError && error.kind === 'unauthenticated') deps.admission?.unknown(origin)
          throw error
        })
      const caller: Caller = { ...identity, origin }
      onCaller?.(request, caller)
      deps.admission?.known(caller)
      const isRead = readMethods.has(request.method)
      assertRole(caller, isRead ? (deps.reads ?? 'viewer') : deps.writes)
      if (!isRead && deps.bySession) sessionOf(caller)
      if (isRead && !mayStart()) await nextStart(caller.organizationId) // only reads wait: writes of one turn share a commit
      return { caller }
    })
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      const { request: sent, caller } = context
      const room = deps.bodyBudget.open(caller.organizationId)
      try {
        room.growTo(announcedBytes(sent))
        const bounds = { ...deps.body, room, group: caller.organizationId }
        context.body = await readBody(sent, bounds, caller, context.route)
      } finally {
        room.release()
      }
      if (!readMethods.has(context.request.method)) await deps.authorizeWrite?.(context.caller, context.params)
      const { request, route, params, query, body } = context // given the context itself, Elysia would parse cookies
      deps.checkRequest({ request, route, params, query, body })
    })
  return onTagged ? guard.mapResponse({ as: 'scoped' }, tagResponses(onTagged)) : guard
}

/** Bound for requests without a token, which have only a few short fields. */
const maxPublicBodyBytes = 16_384

/** Reads the body in the same way for the few public routes, which need no token. */
export const openToAll = ({ originOf, body, checkRequest }: OpenDeps) =>
  new Elysia()
    .derive({ as: 'scoped' }, ({ request, server }) => ({ origin: originOf(request, server) }))
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      const limitBytes = Math.min(body.limitBytes, maxPublicBodyBytes)
      context.body = await readJson(context.request, { ...body, limitBytes })
      const { request, route, params, query, body: sent } = context
      checkRequest({ request, route, params, query, body: sent })
    })

/** Throws `forbidden` for a role below `minRole`. */
export function assertRole({ role }: Identity, minRole: Role): void {
  if (isAtLeast(role, minRole)) return
  throw new AppError('forbidden', 'Insufficient permissions', { details: `needs the role ${minRole}` })
}

/** Session id of a signed-in user; throws `forbidden` for an API token or an OAuth2 token. */
export function sessionOf({ sessionId }: Identity): number {
  if (sessionId !== null) return sessionId
  throw new AppError('forbidden', 'Insufficient permissions', {
    details: 'must be sent with the access token of a session: sign in; an API token or an application cannot do this',
  })
}
