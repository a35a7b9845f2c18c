import type { Clock } from '../clock.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { AppError } from '../errors.ts'
import type { Identity } from '../http/signed-in.ts'
import type { Log } from '../log.ts'

/** Watches the tokens of open connections, and ends connections whose token is no longer valid. */
export type TokenWatch = {
  /** Calls `onEnd` once the token is no longer valid; the returned function ends the watch. */
  watch(authorization: string, identity: Identity, onEnd: (reason: string) => void): () => void
  /** Checks the tokens that are due again. Call it every few seconds. */
  sweep(): Promise<void>
  /** Waits for checks under way. */
  drain(): Promise<void>
}

/**
 * Token reader. `untilMs`: time until which the identity is valid without another check. `onInvalidate`: registers a listener for
 * identities that must be checked again at once, those that `fits` accepts.
 */
export type LiveTokens = {
  authenticate(authorization: string | null): Promise<{ identity: Identity; untilMs: number }>
  onInvalidate(listener: (fits: (identity: Identity) => boolean) => void): void
}

type Deps = { tokens: LiveTokens; clock: Clock; log: Log; isClosing: () => boolean }
type Watch = { authorization: string; identity: Identity; untilMs: number; onEnd: (reason: string) => void }

export function createTokenWatch({ tokens, clock, log, isClosing }: Deps): TokenWatch {
  const watches = new Set<Watch>()
  const checks = createSemaphore()

  async function checkToken(watch: Watch, reason: string): Promise<void> {
    try {
      Object.assign(watch, await tokens.authenticate(watch.authorization))
    } catch (error) {
      if (error instanceof AppError && (error.kind === 'unauthenticated' || error.kind === 'forbidden')) {
        if (watches.delete(watch)) watch.onEnd(reason)
        return
      }
      watch.untilMs = 0 // the next sweep checks it again
      if (!isClosing()) log.error('token of a connection not checked', { error })
    }
  }

  async function checkAll(due: Watch[], reason: string): Promise<void> {
    for (const watch of due) if (watches.has(watch) && !isClosing()) await checkToken(watch, reason)
  }

  function begin(due: Watch[], reason: string): Promise<void> {
    return checks.run(() => checkAll(due, reason))
  }

  tokens.onInvalidate((fits) => {
    const affected = [...watches].filter(({ identity }) => fits(identity))
    if (affected.length > 0) void begin(affected, 'Signed out')
  })

  return {
    watch(authorization, identity, onEnd) {
      // due at the next sweep: the token may have ended between its lookup and this call
      const watch = { authorization, identity, untilMs: 0, onEnd }
      watches.add(watch)
      return () => void watches.delete(watch)
    },
    sweep() {
      const nowMs = clock.now()
      return begin(
        [...watches].filter(({ untilMs }) => untilMs <= nowMs),
        'Token expired',
      )
    },
    drain: checks.drain,
  }
}
