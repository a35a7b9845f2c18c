import type { Clock } from '../clock.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { AppError } from '../errors.ts'
import type { Identity } from '../http/signed-in.ts'
import type { Log } from '../log.ts'

/** Ends connections whose token is no longer good. */
export type SignIns = {
  /** Calls `onEnd` once that is so; what it gives ends the watch. */
  watch(authorization: string, identity: Identity, onEnd: (reason: string) => void): () => void
  /** Looks again at those that are due; to be called every few seconds. */
  sweep(): Promise<void>
  drain(): Promise<void>
}

/** The reader of tokens. `untilMs`: how long its answer holds without another look. */
export type LiveTokens = {
  know(authorization: string | null): Promise<{ identity: Identity; untilMs: number }>
  onForget(listener: (fits: (identity: Identity) => boolean) => void): void
}

type Deps = { tokens: LiveTokens; clock: Clock; log: Log; isClosing: () => boolean }
type Watch = { authorization: string; identity: Identity; untilMs: number; onEnd: (reason: string) => void }

export function createSignIns({ tokens, clock, log, isClosing }: Deps): SignIns {
  const watches = new Set<Watch>()
  const looks = createSemaphore()

  async function look(watch: Watch, reason: string): Promise<void> {
    try {
      Object.assign(watch, await tokens.know(watch.authorization))
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        if (watches.delete(watch)) watch.onEnd(reason)
        return
      }
      watch.untilMs = 0 // the next sweep looks again
      if (!isClosing()) log.error('live token not looked up', { error })
    }
  }

  async function lookAt(some: Watch[], reason: string): Promise<void> {
    for (const watch of some) if (watches.has(watch) && !isClosing()) await look(watch, reason)
  }

  function begin(some: Watch[], reason: string): Promise<void> {
    return looks.run(() => lookAt(some, reason))
  }

  tokens.onForget((fits) => {
    const some = [...watches].filter(({ identity }) => fits(identity))
    if (some.length > 0) void begin(some, 'Signed out')
  })

  return {
    watch(authorization, identity, onEnd) {
      // Looked at by the next sweep: the token may have ended between its lookup and this.
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
    drain: looks.drain,
  }
}
