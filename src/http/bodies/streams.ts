import { type Clock, stopwatch } from '../../clock.ts'
import { type Pieces, streamJson } from './json-stream.ts'

type Limits = { max: number; maxPerOrganization: number }

/** Long answers that are being read. */
export type Streams = {
  /**
   * Ends the answer of the slowest reader, if there is no room for another of an organization: of its own if it has as many as it may
   * have, otherwise of all. A reader is slow if it took five seconds or more for its last four chunks, about 256 kB.
   */
  endSlowest(organizationId: number): void
  /** True if another of an organization has room. */
  hasRoom(organizationId: number): boolean
  /** Streams JSON; see `streamJson`. */
  open(organizationId: number, pieces: Pieces, options: { timeoutMs: number; onEnd?: () => void }): Response
}

/** Times for which an answer waited for its reader, in ms: before each of the last three chunks, and since when it waits now. */
type Stream = { organizationId: number; waitsMs: number[]; waitsSinceMs: number | null; abort: AbortController }

const slowMs = 5000
const measuredChunks = 4

export function createStreams({ max, maxPerOrganization }: Limits, clock: Clock = stopwatch): Streams {
  const open = new Set<Stream>()
  const ofOrganization = (id: number) => [...open].filter(({ organizationId }) => organizationId === id)

  function tookMs({ waitsMs, waitsSinceMs }: Stream): number {
    const nowMs = waitsSinceMs === null ? 0 : clock.now() - waitsSinceMs
    return waitsMs.reduce((sum, ms) => sum + ms, nowMs)
  }

  return {
    endSlowest(organizationId) {
      const own = ofOrganization(organizationId)
      const candidates = own.length >= maxPerOrganization ? own : open.size >= max ? [...open] : []
      const [slowest] = candidates.toSorted((a, b) => tookMs(b) - tookMs(a))
      if (slowest && tookMs(slowest) >= slowMs) slowest.abort.abort()
    },
    hasRoom: (organizationId) => open.size < max && ofOrganization(organizationId).length < maxPerOrganization,
    open(organizationId, pieces, { timeoutMs, onEnd }) {
      const abort = new AbortController()
      const stream: Stream = { organizationId, waitsMs: [], waitsSinceMs: clock.now(), abort }
      open.add(stream)
      return streamJson(pieces, {
        timeoutMs,
        signal: abort.signal,
        onRead() {
          if (stream.waitsSinceMs === null) return
          stream.waitsMs = [...stream.waitsMs, clock.now() - stream.waitsSinceMs].slice(1 - measuredChunks)
          stream.waitsSinceMs = null
        },
        onWritten: () => void (stream.waitsSinceMs = clock.now()),
        onEnd() {
          open.delete(stream)
          onEnd?.()
        },
      })
    },
  }
}
