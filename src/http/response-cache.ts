import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Tagged } from './headers/etag.ts'
import type { Role } from '../role.ts'

/** Everything about the caller that a cached response may depend on. */
type Reader = { organizationId: number; userId: number; role: Role }

/**
 * Response cache for GET routes that opt in. It holds finished responses until the next commit. A hit has the same
 * organization, user, role and URL, and a token that has been verified before and is still valid. The lookup happens before
 * routing.
 *
 * A route opts in with `keep` as its `beforeHandle`: its response must depend on the database, the caller and the URL alone. If
 * it depends on anything more, its handler calls `limit` with how long the response is valid.
 */
export type ResponseCache = {
  /** Must be called before anything is read: a commit from then on invalidates the response. */
  keep(context: { request: Request; caller: Reader }): void
  /**
   * Bounds the validity of a response: from now until `untilMs` (milliseconds since the epoch), and only while `holds()` is
   * true. `holds` must be cheap.
   */
  limit(request: Request, bounds: { untilMs?: number; holds?: () => boolean }): void
  /** Called with each response; caches those whose request has called `keep`. `route` is the template. */
  store(request: Request, route: string, answer: Tagged): void
  /** Cached response to this request; undefined: none. */
  find(request: Request): CachedResponse | undefined
}

type CachedResponse = Tagged & { route: string }

/** `version`: database version before the read. `fromMs`: time of the read; the clock may be set back to before it. */
type Pending = { key: string; version: number; fromMs: number; untilMs: number; holds: () => boolean }
type Entry = CachedResponse & Pending

type Deps = {
  /** Returns another number after each commit. */
  version: () => number
  clock: Clock
  tokens: { identifyCached(authorization: string | null): Reader | undefined }
  maxBytes?: number
}

const always = () => true
const overhead = 1024 // approximate bytes of an entry without its text
const maxShare = 16 // a response larger than 1/16 of the cache is not cached

export function createResponseCache({ version, clock, tokens, maxBytes = 4 * 1024 * 1024 }: Deps): ResponseCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / maxShare,
    sizeCalculation: ({ text }, key) => 2 * (text.length + key.length) + overhead, // at most two bytes per character
  })
  const pending = new WeakMap<Request, Pending>()

  return {
    keep({ request, caller }) {
      if (!isPlainGet(request)) return
      const key = keyOf(caller, request.url)
      pending.set(request, { key, version: version(), fromMs: clock.now(), untilMs: Infinity, holds: always })
    },
    limit(request, bounds) {
      const one = pending.get(request)
      if (one) Object.assign(one, bounds)
    },
    store(request, route, { text, tag }) {
      const one = pending.get(request)
      if (one) entries.set(one.key, { ...one, route, text, tag })
    },
    find(request) {
      if (!isPlainGet(request)) return undefined
      const reader = tokens.identifyCached(request.headers.get('authorization'))
      const entry = reader && entries.get(keyOf(reader, request.url))
      if (!entry || entry.version !== version()) return undefined
      const nowMs = clock.now()
      return entry.fromMs <= nowMs && nowMs < entry.untilMs && entry.holds() ? entry : undefined
    },
  }
}

/** True for a GET without a body; one with a body is left to its route, which refuses it. */
function isPlainGet({ method, headers }: Request): boolean {
  return method === 'GET' && !headers.has('content-length') && !headers.has('transfer-encoding')
}

function keyOf({ organizationId, userId, role }: Reader, url: string): string {
  return `${organizationId} ${userId} ${role} ${url}`
}
