import { Elysia } from 'elysia'
import { mayStart, nextStart } from '../concurrency/steps.ts'
import type { ActingCredential, Origin } from '../origin.ts'
import { AppError } from '../errors.ts'
import { isAtLeast, type Role } from '../role.ts'
import { announcedBytes, type BodyBounds, deferBody, readJson } from './bodies/body.ts'
import type { BodyBudget } from './bodies/body-budget.ts'
import type { LongAnswers } from './bodies/long-answers.ts'
import type { OriginReader } from './headers/origin.ts'
import type { RequestCheck } from './checks/request-check.ts'
import type { KeptAnswers } from './kept-answers.ts'

/** Whom a bearer token speaks for, and with how much power. */
export type Identity = {
  userId: number
  organizationId: number
  email: string
  name: string
  role: Role
  /** `null`: a token of a machine or an application, which belongs to no session. */
  sessionId: number | null
  credential: ActingCredential
}

/** Who makes a request. Everything a handler reads or writes belongs to `organizationId`. */
export type Caller = Identity & { origin: Origin }

/** Finds whom an `Authorization` header speaks for; throws `unauthenticated`. */
export type TokenReader = { identify(authorization: string | null): Promise<Identity> }

/** `body`: what each may take. */
export type OpenDeps = { originOf: OriginReader; body: BodyBounds; checkRequest: RequestCheck }
/** `onCaller` is called with who makes a request, before it is known whether they may. */
export type GuardDeps = OpenDeps & {
  tokens: TokenReader
  onCaller?: (request: Request, caller: Caller) => void
  bodyBudget: BodyBudget
  /** For routes whose answers may be kept. */
  answers: Pick<KeptAnswers, 'keep' | 'limit'>
  /** For those whose answers may be long. */
  longAnswers: LongAnswers
}

/** Reads the body of a caller's request; `readJson` by default. */
type BodyReader = (request: Request, bounds: BodyBounds, caller: Caller) => Promise<unknown>

/**
 * `writes`: the least role that may send anything but GET and HEAD to the routes below the guard; `reads`, absent: any, that
 * of those two. `bySession`: they take the access token of a session only, since they change who may do what. `admit`
 * throws for others who may not write there.
 */
type Options = Omit<GuardDeps, 'answers' | 'longAnswers'> & {
  reads?: Role
  writes: Role
  bySession?: boolean
  admit?: (caller: Caller, params: Record<string, string | undefined>) => Promise<void> | void
  readBody?: BodyReader
}

const reading = new Set(['GET', 'HEAD'])

/** Every route below needs a token; the body is read only once the caller is known. */
export const signedIn = ({ tokens, onCaller, originOf, readBody = readJson, ...deps }: Options) =>
  new Elysia()
    .derive({ as: 'scoped' }, async ({ request, server }) => {
      const identity = await tokens.identify(request.headers.get('authorization'))
      const caller: Caller = { ...identity, origin: originOf(request, server) }
      onCaller?.(request, caller)
      const isRead = reading.has(request.method)
      assertRole(caller, isRead ? (deps.reads ?? 'viewer') : deps.writes)
      if (!isRead && deps.bySession) sessionOf(caller)
      if (isRead && !mayStart()) await nextStart(caller.organizationId) // writes of one turn share a commit
      return { caller }
    })
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      const { request: sent, caller } = context
      const room = deps.bodyBudget.open(caller.organizationId)
      try {
        room.growTo(announcedBytes(sent))
        context.body = await readBody(sent, { ...deps.body, room, group: caller.organizationId }, caller)
      } finally {
        room.release()
      }
      if (!reading.has(context.request.method)) await deps.admit?.(context.caller, context.params)
      const { request, route, params, query, body } = context // handed the context itself, Elysia reads cookies for it
      deps.checkRequest({ request, route, params, query, body })
    })

/** Requests without a token have a few short fields. */
const maxPublicBodyBytes = 16_384

/** The same reading of bodies for the few routes that are public. */
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

/** Throws `forbidden` for a role below `required`. */
export function assertRole({ role }: Identity, required: Role): void {
  if (isAtLeast(role, required)) return
  throw new AppError('forbidden', 'Insufficient permissions', { details: `needs the role ${required}` })
}

/** The session of a person who has signed in; throws `forbidden` for the token of a machine or an application. */
export function sessionOf({ sessionId }: Identity): number {
  if (sessionId !== null) return sessionId
  throw new AppError('forbidden', 'Insufficient permissions', {
    details: 'must be sent with the access token of a session: sign in; an API token or an application cannot do this',
  })
}
