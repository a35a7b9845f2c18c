import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { createTokenBuckets, type TokenBuckets } from '../../http/connections/token-buckets.ts'
import { networkOf, type OriginReader } from '../../http/headers/origin.ts'
import { findByAddress } from './heartbeat-store.ts'
import { hashOfSecret } from './heartbeats.ts'
import type { ArrivedReport, Heartbeats } from './keeper.ts'
import { readMessage } from './message.ts'
import { readPing, readPush } from './ping.ts'

type Deps = {
  db: Pick<Database, 'read'>
  clock: Clock
  stopwatch: Clock
  /** Requests a minute: with one address, and from one network with addresses that are unknown. 0: no limit. */
  config: { ingestRateLimit: number; rateLimitPerIp: number; bodyLimitBytes: number }
  originOf: OriginReader
  heartbeats: Pick<Heartbeats, 'report'>
}

type Reply = { status: number; text: string; retrySeconds?: number }

const ok: Reply = { status: 200, text: 'OK' }
const unknown: Reply = { status: 404, text: 'not found' }
const ambiguous: Reply = { status: 409, text: 'ambiguous slug' }

/**
 * `/ping/<uuid>` and `/ping/<key>/<slug>` as Healthchecks has them, and `/api/push/<token>` as Uptime Kuma: the address is the
 * authorization. 200 means that the report is stored. They have rate limits of their own, for each heartbeat.
 */
export const pingRoutes = ({ db, clock, stopwatch, config, originOf, heartbeats }: Deps) => {
  const bucketsOf = (limit: number) => (limit === 0 ? null : createTokenBuckets({ limit, clock: stopwatch }))
  const ofHeartbeat = bucketsOf(config.ingestRateLimit)
  const ofUnknown = bucketsOf(config.rateLimitPerIp)

  async function receive(request: Request, ip: string, sent: ReturnType<typeof readPing>): Promise<Reply> {
    const atMs = clock.now()
    const network = networkOf(ip)
    const refused = fullReply(ofUnknown, network)
    if (refused) return refused
    const { hash, slug } = { hash: hashOfSecret(sent?.secret ?? ''), slug: sent?.slug }
    const [found, another] = sent ? await findByAddress(db.read, { hash, slug }) : []
    if (!sent || !found) {
      ofUnknown?.take(network)
      return unknown
    }
    if (another) return ambiguous
    const key = String(found.id)
    const limited = fullReply(ofHeartbeat, key)
    if (limited) return limited
    ofHeartbeat?.take(key)
    if (sent.problem) return { status: 400, text: sent.problem }
    const message = sent.report.message ?? (await readMessage(request, config.bodyLimitBytes))
    await heartbeats.report(found, { ...sent.report, atMs, message } satisfies ArrivedReport)
    return ok
  }

  const answer = ({ status, text, retrySeconds }: Reply, type = 'text/plain; charset=utf-8') =>
    new Response(text, {
      status,
      headers: { 'content-type': type, ...(retrySeconds && { 'retry-after': String(retrySeconds) }) },
    })

  const ping = async ({ request, server }: Context) =>
    answer(await receive(request, originOf(request, server).ip, readPing(request.url)))
  const push = async ({ request, server }: Context) => {
    const { status, ...reply } = await receive(request, originOf(request, server).ip, readPush(request.url))
    const body = status === 200 ? { ok: true } : { ok: false, msg: reply.text }
    return answer({ ...reply, status, text: JSON.stringify(body) }, 'application/json')
  }

  return new Elysia({ detail: { hide: true } })
    .onParse({ as: 'local' }, deferBody)
    .get('/ping/*', ping)
    .post('/ping/*', ping)
    .get('/api/push/*', push)
    .post('/api/push/*', push)
    .put('/api/push/*', push)
    .patch('/api/push/*', push)
    .delete('/api/push/*', push)
}

type Context = { request: Request; server: Parameters<OriginReader>[1] }

function fullReply(buckets: TokenBuckets | null, key: string): Reply | null {
  const level = buckets?.peek(key)
  if (level?.remaining !== 0) return null
  return { status: 429, text: 'rate limit exceeded', retrySeconds: Math.max(1, Math.ceil(level.nextInMs / 1000)) }
}
