import { Elysia } from 'elysia'
import { addressSet } from '../../cidr.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { networkOf, type OriginReader } from '../headers/origin.ts'
import { createTokenBuckets, type Level, type TokenBuckets } from './token-buckets.ts'

type Limits = Pick<
  Config,
  'rateLimitPerIp' | 'rateLimitWritesPerIp' | 'rateLimitGlobal' | 'rateLimitAllow' | 'rateLimitBlock'
>
type Deps = {
  rateLimits: RateLimits
  clock: Clock
  originOf: OriginReader
  /** True for a path, with or without a query string, that only the page's document answers. */
  isDocument: (path: string) => boolean
  /** True for a request that has limits of its own. */
  hasOwnLimits?: (request: Request) => boolean
}

/** Headers that `limits` sets, which pages of other origins may read. */
export const limitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

const globalKey = ''
const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Requested every few seconds by load balancers, from the same address as client requests. */
const probes = new Set(['/health', '/ready'])

/** Files of the page. They are in memory, and one visit loads several. */
const assets = '/assets/'

/** `subject`: names the counted requests in the error. */
type Limit = { buckets: TokenBuckets; subject: string }

/** Buckets of each kind of request, and the addresses that are refused or not counted; undefined: no such limit. */
type RateLimits = ReturnType<typeof createRateLimits>

export function createRateLimits({ config, stopwatch }: { config: Limits; stopwatch: Clock }) {
  const limitOf = (limit: number, subject: string): Limit | undefined =>
    limit === 0 ? undefined : { buckets: createTokenBuckets({ limit, clock: stopwatch }), subject }
  const isShared = config.rateLimitWritesPerIp === 0
  const reads = limitOf(config.rateLimitPerIp, isShared ? 'one address' : 'reads from one address')
  const writes = isShared ? reads : limitOf(config.rateLimitWritesPerIp, 'writes from one address')
  const all = limitOf(config.rateLimitGlobal, 'all addresses together')
  const blocked = config.rateLimitBlock.length > 0 ? addressSet(config.rateLimitBlock) : undefined
  const allowed = config.rateLimitAllow.length > 0 ? addressSet(config.rateLimitAllow) : undefined
  return { reads, writes, all, blocked, allowed }
}

/**
 * Rate limits; run before anything else of the request is read. A blocked address gets 403; an allowed one is not counted. Any
 * other request takes one token from the bucket of its network and one from the global bucket, or none and gets 429 if either
 * is empty. If both are empty, the error is about the network's bucket. Every response has the numbers of the bucket with the
 * fewest remaining requests; `X-RateLimit-Reset` is when that bucket is full again, in Unix seconds. Probes, the page's document and
 * its files get the headers and are not counted.
 */
export function limits({ rateLimits, clock, originOf, isDocument, hasOwnLimits = () => false }: Deps) {
  const { reads, writes, all, blocked, allowed } = rateLimits
  const hook = new Elysia()
  if (!reads && !writes && !all && !blocked) return hook
  return hook.onRequest(({ request, server, set }) => {
    const { ip } = originOf(request, server)
    if (blocked?.has(ip)) throw new AppError('forbidden', 'Address is blocked')
    if (allowed?.has(ip)) return
    const network = networkOf(ip)
    const perNetwork = readMethods.has(request.method) ? reads : writes
    const levelsBefore = { own: perNetwork?.buckets.peek(network), all: all?.buckets.peek(globalKey) }
    const isCounted = !hasOwnLimits(request) && !isUncounted(request, isDocument)
    const empty = isCounted ? [levelsBefore.own, levelsBefore.all].find((level) => level?.remaining === 0) : undefined
    if (empty) {
      setHeaders(set.headers, empty, clock.now())
      throw refusal(empty, (empty === levelsBefore.own ? perNetwork : all)?.subject ?? '')
    }
    const levelsAfter = isCounted
      ? { own: perNetwork?.buckets.take(network), all: all?.buckets.take(globalKey) }
      : levelsBefore
    const fewest = tightest(levelsAfter.own, levelsAfter.all)
    if (fewest) setHeaders(set.headers, fewest, clock.now())
  })
}

function tightest(one: Level | undefined, other: Level | undefined): Level | undefined {
  return one && other ? (other.remaining < one.remaining ? other : one) : (one ?? other)
}

function setHeaders(
  headers: Record<string, string | number>,
  { limit, remaining, fullInMs }: Level,
  nowMs: number,
): void {
  headers['X-RateLimit-Limit'] = String(limit)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil((nowMs + fullInMs) / 1000))
}

function refusal({ limit, nextInMs }: Level, subject: string): AppError {
  const seconds = Math.max(1, Math.ceil(nextInMs / 1000))
  const message = `At most ${limit} requests a minute for ${subject}; try again in ${seconds} s`
  return new AppError('rate_limited', 'Rate limit exceeded', {
    body: { limit, window: '1m', message },
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Path and query string of a request. Without a `Host` header, `url` has only these. */
export function pathOf({ url }: Request): string {
  return url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('://') + 3))
}

/** True for requests that are not counted. */
function isUncounted(request: Request, isDocument: Deps['isDocument']): boolean {
  const { method } = request
  const path = pathOf(request)
  if (method !== 'GET' && method !== 'HEAD') return false
  return probes.has(path) || path.startsWith(assets) || isDocument(path)
}
