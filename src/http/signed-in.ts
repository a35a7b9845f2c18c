import { Elysia } from 'elysia'
import type { ActingCredential, Origin } from '../origin.ts'
import { AppError } from '../errors.ts'
import { isAtLeast, type Role } from '../role.ts'
import { deferBody, readJson } from './body.ts'
import type { OriginReader } from './origin.ts'

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

/** `bodyTimeoutMs`: how long reading a body may take; absent: the usual time. */
export type OpenDeps = { originOf: OriginReader; bodyLimitBytes: number; bodyTimeoutMs?: number }
/** `onCaller` hears who makes a request, before it is known whether they may. */
export type GuardDeps = OpenDeps & { tokens: TokenReader; onCaller?: (request: Request, caller: Caller) => void }

/** Reads what a request says; `readJson`, where nothing else is said. */
type BodyReader = (request: Request, limitBytes: number, timeoutMs?: number) => Promise<unknown>

/** `writes`: the least role that may send anything but GET and HEAD to the routes below the guard. */
type Options = GuardDeps & { writes: Role; readBody?: BodyReader }

const reading = new Set(['GET', 'HEAD'])

/** Every route below needs a token; the body is read only once the caller is known. */
export const signedIn = ({
  tokens,
  onCaller,
  originOf,
  bodyLimitBytes,
  bodyTimeoutMs,
  writes,
  readBody = readJson,
}: Options) =>
  new Elysia()
    .derive({ as: 'scoped' }, async ({ request, server }) => {
      const identity = await tokens.identify(request.headers.get('authorization'))
      const caller: Caller = { ...identity, origin: originOf(request, server) }
      onCaller?.(request, caller)
      if (!reading.has(request.method)) assertRole(caller, writes)
      return { caller }
    })
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      context.body = await readBody(context.request, bodyLimitBytes, bodyTimeoutMs)
    })

/** The same reading of bodies for the few routes that are public. */
export const openToAll = ({ originOf, bodyLimitBytes, bodyTimeoutMs }: OpenDeps) =>
  new Elysia()
    .derive({ as: 'scoped' }, ({ request, server }) => ({ origin: originOf(request, server) }))
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      context.body = await readJson(context.request, bodyLimitBytes, bodyTimeoutMs)
    })

/** Throws `forbidden` for a role below the wanted one. */
export function assertRole({ role }: Identity, wanted: Role): void {
  if (isAtLeast(role, wanted)) return
  throw new AppError('forbidden', 'Insufficient permissions', { details: `wanted the role ${wanted}` })
}
