import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { pathOf } from '../../http/connections/limits.ts'
import { networkOf, type OriginReader } from '../../http/headers/origin.ts'
import type { Origin } from '../../origin.ts'
import type { IngestLimits } from '../ingest/ingest-limits.ts'
import type { Senders } from '../ingest/senders.ts'
import { findByAddress, type FoundHeartbeat } from './heartbeat-store.ts'
import { hashOfSecret } from './heartbeats.ts'
import type { ArrivedReport, Heartbeats } from './keeper.ts'
import { readMessage } from './message.ts'
import { readPing, readPush, type SentPing } from './ping.ts'

type Deps = {
  db: Pick<Database, 'read'>
  clock: Clock
  config: { bodyLimitBytes: number }
  ingestLimits: IngestLimits
  originOf: OriginReader
  heartbeats: Pick<Heartbeats, 'findByToken' | 'report'>
  senders: Pick<Senders, 'refusedUnknown'>
}

/** True for a request to one of these addresses. */
export const isReport = (request: Request) => /^\/(?:ping|api\/push)\//.test(pathOf(request))

type Reply = { status: number; text: string; retrySeconds?: number }

const ok: Reply = { status: 200, text: 'OK' }
const unknown: Reply = { status: 404, text: 'not found' }
const ambiguous: Reply = { status: 409, text: 'ambiguous slug' }

/**
 * `/ping/<uuid>` and `/ping/<key>/<slug>` as Healthchecks has them, and `/api/push/<token>` as Uptime Kuma: the address is the
 * authorization. 200 means that the report is stored. The addresses have rate limits of their own, for each heartbeat.
 */
export const pingRoutes = ({ db, clock, config, ingestLimits, originOf, heartbeats, senders }: Deps) => {
  async function receive(request: Request, origin: Origin, sent: ReturnType<typeof readPing>): Promise<Reply> {
    const atMs = clock.now()
    const network = networkOf(origin.ip)
    const waitSeconds = ingestLimits.waitOf(network)
    if (waitSeconds !== null) return tooMany(waitSeconds)
    const [found, another] = sent ? await find(sent) : []
    if (!sent || !found) return refuseUnknown(origin)
    if (another) return ambiguous
    const heartbeatWaitSeconds = ingestLimits.take(`heartbeat ${found.id}`)
    if (heartbeatWaitSeconds !== null) return tooMany(heartbeatWaitSeconds)
    if (sent.problem) return { status: 400, text: sent.problem }
    const message = sent.report.message ?? (await readMessage(request, config.bodyLimitBytes))
    const isThere = await heartbeats.report(found, { ...sent.report, atMs, message } satisfies ArrivedReport)
    return isThere ? ok : refuseUnknown(origin)
  }

  async function find({ secret, slug }: SentPing): Promise<FoundHeartbeat[]> {
    const hash = hashOfSecret(secret)
    const known = slug === undefined ? heartbeats.findByToken(hash) : undefined
    return known ? [known] : findByAddress(db.read, { hash, slug })
  }

  function refuseUnknown(origin: Origin): Reply {
    ingestLimits.countUnknown(networkOf(origin.ip))
    senders.refusedUnknown(origin, 'report')
    return unknown
  }

  const answer = ({ status, text, retrySeconds }: Reply, type = 'text/plain; charset=utf-8') =>
    new Response(text, {
      status,
      headers: { 'content-type': type, ...(retrySeconds && { 'retry-after': String(retrySeconds) }) },
    })

  const ping = async ({ request, server }: Context) =>
    answer(await receive(request, originOf(request, server), readPing(request.url)))
  const push = async ({ request, server }: Context) => {
    const { status, ...reply } = await receive(request, originOf(request, server), readPush(request.url))
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

function tooMany(retrySeconds: number): Reply {
  return { status: 429, text: 'rate limit exceeded', retrySeconds }
}
