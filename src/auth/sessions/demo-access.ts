import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import { AppError } from '../../errors.ts'
import type { Origin } from '../../origin.ts'
import { getUser } from '../accounts/store.ts'
import { actorOf } from '../audit/store.ts'
import { recordSuccess } from './login-attempt-store.ts'
import { openSession } from './sessions.ts'
import { hashOpaqueToken, newOpaqueToken } from './tokens.ts'

/**
 * Sign-in to a running demo without its password: a token that is valid once, for ten minutes, and on this machine only. Its
 * hash is kept in memory, so that it ends with the process. If no demo runs, no token is valid.
 */
export type DemoAccess = {
  /** Marks the demo as running. Returns a token that signs in as this user; an earlier token is no longer valid. */
  start(userId: number): string
  isRunning(): boolean
  /** Returns the user of the token, and marks the token as used; for a refused one also the problem. Undefined if it is unknown. */
  redeem(token: string, isLocal: boolean): { userId: number; problem?: Problem } | undefined
}

type Problem = 'used' | 'expired' | 'from another machine'

const lifetimeMs = 600_000

export function createDemoAccess({ now }: Clock): DemoAccess {
  let current: { hash: string; userId: number; untilMs: number; isUsed: boolean } | undefined

  return {
    start(userId) {
      const { token, hash } = newOpaqueToken()
      current = { hash, userId, untilMs: now() + lifetimeMs, isUsed: false }
      return token
    },

    isRunning: () => current !== undefined,

    redeem(token, isLocal) {
      if (!current || !timingSafeEqual(Buffer.from(hashOpaqueToken(token)), Buffer.from(current.hash))) return undefined
      const { userId, untilMs, isUsed } = current
      if (!isLocal) return { userId, problem: 'from another machine' }
      if (isUsed) return { userId, problem: 'used' }
      if (untilMs <= now()) return { userId, problem: 'expired' }
      current.isUsed = true
      return { userId }
    },
  }
}

type Deps = Parameters<typeof openSession>[0] & { demo: DemoAccess }

/**
 * Opens a session with the token of the demo's link. Throws `forbidden` for a request from another machine, `unauthenticated`
 * for a token that is unknown, used or expired. A refused token that is known counts as a failed login in the audit log of its
 * user.
 */
export async function loginToDemo(deps: Deps, token: string, { isLocal, ...origin }: Origin & { isLocal: boolean }) {
  const { db, clock, demo } = deps
  const redeemed = demo.redeem(token, isLocal)
  if (redeemed?.problem !== undefined) {
    const actor = actorOf(await getUser(db.read, redeemed.userId), origin)
    const details = { method: 'demo_link', reason: redeemed.problem }
    await recordAudit(db.write, actor, { event: 'login', outcome: 'failure', details }, clock.now())
  }
  if (!isLocal) throw notLocal()
  if (!redeemed || redeemed.problem !== undefined) throw invalidToken()
  const user = await getUser(db.read, redeemed.userId)
  return openSession(deps, user, {
    origin,
    inTransaction: async (trx, nowMs) => {
      await recordSuccess(trx, user, origin, nowMs)
      await recordAudit(trx, actorOf(user, origin), { event: 'login', details: { method: 'demo_link' } }, nowMs)
    },
  })
}

function notLocal(): AppError {
  return new AppError('forbidden', 'The link works on the machine that nines runs on', {
    problems: [
      {
        field: 'token',
        message:
          'must come from that machine, at a loopback address and through no proxy; from elsewhere sign in with the e-mail and the password that the start printed',
      },
    ],
  })
}

function invalidToken(): AppError {
  return new AppError('unauthenticated', 'The link is not valid any more', {
    problems: [
      {
        field: 'token',
        code: 'unknown',
        message:
          'must be that of the link which the last start of the demo printed, good once and for ten minutes; sign in with the e-mail and the password that it printed, or start the demo again',
      },
    ],
  })
}
