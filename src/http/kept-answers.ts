import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Tagged } from './headers/etag.ts'
import type { Role } from '../role.ts'

/** Who asks: all of it that an answer may depend on. */
type Reader = { organizationId: number; userId: number; role: Role }

/**
 * What was answered to a GET of a route that opts in, finished, until something is committed. A kept answer is for the same
 * organization, user, role and URL, whose token has been seen and is still good. It is found before the router is asked.
 *
 * A route opts in with `keep` as its `beforeHandle`: then its answer depends on the database, on who asks and on the URL
 * alone. Where it depends on anything else, its handler says with `limit` how long it holds.
 */
export type KeptAnswers = {
  /** Called before anything is read: what is committed from then on ends the answer. */
  keep(context: { request: Request; caller: Reader }): void
  /**
   * The answer holds from now until `untilMs` (milliseconds since the epoch) at most, and while `holds`, which must cost
   * nothing.
   */
  limit(request: Request, limit: { untilMs?: number; holds?: () => boolean }): void
  /** Called with each answer; stores those of requests that `keep` has seen. `route` is the template. */
  store(request: Request, route: string, answer: Tagged): void
  /** The answer to this request, where there is one. */
  find(request: Request): KeptAnswer | undefined
}

type KeptAnswer = Tagged & { route: string }

/** `version`: of the database, from before it was read. The clock may be set back to before `fromMs`. */
type Pending = { key: string; version: number; fromMs: number; untilMs: number; holds: () => boolean }
type Entry = KeptAnswer & Pending

type Deps = {
  /** Another number once something was committed. */
  version: () => number
  clock: Clock
  tokens: { recall(authorization: string | null): Reader | undefined }
  maxBytes?: number
}

const always = () => true
const overhead = 1024 // bytes of an entry besides its text, roughly
const maxShare = 16 // an answer of more than this part of the whole is not kept

export function createKeptAnswers({ version, clock, tokens, maxBytes = 4 * 1024 * 1024 }: Deps): KeptAnswers {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / maxShare,
    sizeCalculation: ({ text }, key) => 2 * (text.length + key.length) + overhead, // two bytes a letter at most
  })
  const pending = new WeakMap<Request, Pending>()

  return {
    keep({ request, caller }) {
      if (!isPlainGet(request)) return
      const key = keyOf(caller, request.url)
      pending.set(request, { key, version: version(), fromMs: clock.now(), untilMs: Infinity, holds: always })
    },
    limit(request, limit) {
      const one = pending.get(request)
      if (one) Object.assign(one, limit)
    },
    store(request, route, { text, tag }) {
      const one = pending.get(request)
      if (one) entries.set(one.key, { ...one, route, text, tag })
    },
    find(request) {
      if (!isPlainGet(request)) return undefined
      const reader = tokens.recall(request.headers.get('authorization'))
      const entry = reader && entries.get(keyOf(reader, request.url))
      if (!entry || entry.version !== version()) return undefined
      const nowMs = clock.now()
      return entry.fromMs <= nowMs && nowMs < entry.untilMs && entry.holds() ? entry : undefined
    },
  }
}

/** One that sends no body, which the route would refuse. */
function isPlainGet({ method, headers }: Request): boolean {
  return method === 'GET' && !headers.has('content-length') && !headers.has('transfer-encoding')
}

function keyOf({ organizationId, userId, role }: Reader, url: string): string {
  return `${organizationId} ${userId} ${role} ${url}`
}
