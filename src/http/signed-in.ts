import { Elysia } from 'elysia'
import { AppError } from '../errors.ts'
import { isAtLeast, type Role } from '../role.ts'
import { deferBody, readJson } from './body.ts'

/** Who makes a request. Everything a handler reads or writes belongs to `organizationId`. */
export type Caller = {
  userId: number
  organizationId: number
  sessionId: number
  email: string
  name: string
  role: Role
}

/** Finds the caller of an `Authorization` header; throws `unauthenticated`. */
export type TokenReader = { caller(authorization: string | null): Promise<Caller> }

export type GuardDeps = { tokens: TokenReader; bodyLimitBytes: number }

/** `writes`: the least role that may send anything but GET and HEAD to the routes below the guard. */
type Options = GuardDeps & { writes: Role }

const reading = new Set(['GET', 'HEAD'])

/** Every route below needs a token; the body is read only once the caller is known. */
export const signedIn = ({ tokens, bodyLimitBytes, writes }: Options) =>
  new Elysia()
    .derive({ as: 'scoped' }, async ({ request }) => {
      const caller = await tokens.caller(request.headers.get('authorization'))
      if (!reading.has(request.method) && !isAtLeast(caller.role, writes)) {
        throw new AppError('forbidden', 'Insufficient permissions', { details: `wanted the role ${writes}` })
      }
      return { caller }
    })
    .onParse({ as: 'scoped' }, deferBody)
    .onTransform({ as: 'scoped' }, async (context) => {
      context.body = await readJson(context.request, bodyLimitBytes)
    })

/** The same reading of bodies for the few routes that are public. */
export const openToAll = ({ bodyLimitBytes }: { bodyLimitBytes: number }) =>
  new Elysia().onParse({ as: 'scoped' }, deferBody).onTransform({ as: 'scoped' }, async (context) => {
    context.body = await readJson(context.request, bodyLimitBytes)
  })
