import { stopwatch } from '../../clock.ts'
import { onAbort } from '../../concurrency/abort.ts'
import { OutboundError } from './error.ts'

/** Bounds the total size of large response bodies that are read concurrently. */
type LargeBodies = {
  /**
   * Waits for room for `bytes` more; resolves with a function that releases the room, or rejects with the reason of `signal`.
   * `revoke` is called if others have waited for this body too long: reading must end at once with the given error.
   */
  acquire(organizationId: number, bytes: number, signal: AbortSignal, revoke: (why: Error) => void): Promise<() => void>
}

type Options = { maxBytes: number; maxBytesOfOrganization: number; timeoutMs: number }
/** A body that waits or is being read. `sinceMs`: time at which its reading began; 0 while it waits. */
type Body = { organizationId: number; bytes: number; sinceMs: number; revoke: (why: Error) => void }

/**
 * Admits first the organization with the fewest bytes being read, and of its bodies the one that has waited longest. While others
 * wait, a body that has been read for `timeoutMs` is revoked. A body above a limit is admitted if it is the only one being read.
 */
export function createLargeBodies({ maxBytes, maxBytesOfOrganization, timeoutMs }: Options): LargeBodies {
  const reading = new Set<Body>()
  const waiting = new Map<Body, () => void>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const bytesOf = (isCounted: (body: Body) => boolean) =>
    [...reading].filter(isCounted).reduce((sum, { bytes }) => sum + bytes, 0)
  const organizationBytes = (id: number) => bytesOf(({ organizationId }) => organizationId === id)

  /** Body to admit now; undefined if none may be. */
  function nextToAdmit(): Body | undefined {
    const room = maxBytes - bytesOf(() => true)
    const eligible = [...waiting.keys()].filter(({ organizationId: id, bytes }) => {
      const ownBytes = organizationBytes(id)
      return ownBytes === 0 || ownBytes + bytes <= maxBytesOfOrganization
    })
    const [first] = eligible.toSorted(
      (a, b) => organizationBytes(a.organizationId) - organizationBytes(b.organizationId),
    )
    return first && (reading.size === 0 || first.bytes <= room) ? first : undefined
  }

  function admitWaiting(): void {
    clearTimeout(timer)
    for (let body = nextToAdmit(); body; body = nextToAdmit()) {
      const start = waiting.get(body)
      waiting.delete(body)
      body.sinceMs = stopwatch.now()
      reading.add(body)
      start?.()
    }
    const [oldest] = reading
    if (waiting.size === 0 || !oldest) return
    const leftMs = Math.max(0, oldest.sinceMs + timeoutMs - stopwatch.now())
    timer = setTimeout(() => {
      release(oldest)
      oldest.revoke(new OutboundError('broken', 'the body came too slowly while other large ones waited'))
    }, leftMs)
  }

  function release(body: Body): void {
    if (reading.delete(body)) admitWaiting()
  }

  return {
    async acquire(organizationId, bytes, signal, revoke) {
      signal.throwIfAborted()
      const body: Body = { organizationId, bytes, sinceMs: 0, revoke }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const giveUp = () => {
        waiting.delete(body)
        reject(signal.reason)
        admitWaiting()
      }
      using _ = onAbort(signal, giveUp)
      waiting.set(body, resolve)
      admitWaiting()
      await promise
      return () => release(body)
    },
  }
}
