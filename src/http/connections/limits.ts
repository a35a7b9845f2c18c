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
type Deps = { config: Limits; clock: Clock; stopwatch: Clock; originOf: OriginReader }

/** Names of the headers that `limits` sets, which pages of other origins may read. */
export const limitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

const everyone = ''
const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Asked every few seconds by a load balancer, through the very address that clients come from. */
const probes = new Set(['/health', '/ready'])

/**
 * Admits or refuses a request before anything else looks at it. A blocked address gets 403, an allowed one passes
 * uncounted, each other request takes one from the bucket of its network and one from that of everyone, or none from
 * either where one of them is empty: 429. A network's own bucket is named first. Every answer tells of the bucket with
 * the least left; `X-RateLimit-Reset` is when that will be full again, in Unix seconds. Probes see the numbers, and are
 * not counted.
 */
export function limits({ config, clock, stopwatch, originOf }: Deps) {
  const bucketsOf = (limit: number) => (limit === 0 ? undefined : createTokenBuckets({ limit, clock: stopwatch }))
  const reads = bucketsOf(config.rateLimitPerIp)
  const writes = config.rateLimitWritesPerIp === 0 ? reads : bucketsOf(config.rateLimitWritesPerIp)
  const all = bucketsOf(config.rateLimitGlobal)
  const blocked = config.rateLimitBlock.length > 0 ? addressSet(config.rateLimitBlock) : undefined
  const allowed = config.rateLimitAllow.length > 0 ? addressSet(config.rateLimitAllow) : undefined

  const hook = new Elysia()
  if (!reads && !writes && !all && !blocked) return hook
  return hook.onRequest(({ request, server, set }) => {
    const { ip } = originOf(request, server)
    if (blocked?.has(ip)) throw new AppError('forbidden', 'Address is blocked')
    if (allowed?.has(ip)) return
    const network = networkOf(ip)
    const own = reading.has(request.method) ? reads : writes
    const seen = { own: own?.look(network), all: all?.look(everyone) }
    const empty = [seen.own, seen.all].find((level) => level?.remaining === 0)
    const isCounted = !isProbe(request)
    const after = isCounted && !empty ? { own: own?.take(network), all: all?.take(everyone) } : seen
    const least = tightest(after.own, after.all)
    if (least) tell(set.headers, isCounted && empty ? empty : least, clock.now())
    if (isCounted && empty)
      throw refusal(empty, empty === seen.own ? ofOne(own, reads, writes) : 'all addresses together')
  })
}

function ofOne(
  own: TokenBuckets | undefined,
  reads: TokenBuckets | undefined,
  writes: TokenBuckets | undefined,
): string {
  if (reads === writes) return 'one address'
  return own === reads ? 'reads from one address' : 'writes from one address'
}

function tightest(one: Level | undefined, other: Level | undefined): Level | undefined {
  return one && other ? (other.remaining < one.remaining ? other : one) : (one ?? other)
}

function tell(headers: Record<string, string | number>, { limit, remaining, fullInMs }: Level, nowMs: number): void {
  headers['X-RateLimit-Limit'] = String(limit)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil((nowMs + fullInMs) / 1000))
}

function refusal({ limit, nextInMs }: Level, whose: string): AppError {
  const seconds = Math.max(1, Math.ceil(nextInMs / 1000))
  const message = `At most ${limit} requests a minute for ${whose}; try again in ${seconds} s`
  return new AppError('rate_limited', 'Rate limit exceeded', {
    body: { limit, window: '1m', message },
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The path begins at the first slash after the host, of whatever length that is; without a `Host` it is all there is. */
function isProbe({ method, url }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return probes.has(url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('://') + 3)))
}
