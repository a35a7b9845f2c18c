import { createHash, randomBytes } from 'node:crypto'
import { Elysia, t } from 'elysia'
import { type Clock, isoTime, isoTimeOrNull } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import type { Database } from '../../db/open.ts'
import { notFound } from '../../errors.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { pathOf } from '../../http/connections/limits.ts'
import { entityTag, namesTag } from '../../http/headers/etag.ts'
import { networkOf, type OriginReader } from '../../http/headers/origin.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { feedOf } from './feed.ts'
import { feedMadeAt, findFeed, type FoundFeed, listFeedNames, listForFeed, removeFeed, setFeed } from './store.ts'

type FeedDeps = { db: Database; clock: Clock; publicUrl: () => string }

const CalendarFeed = t.Object(
  { created_at: t.Nullable(t.String({ description: 'when its address was made; null: there is none' })) },
  { title: 'CalendarFeed' },
)
const CreatedCalendarFeed = t.Object(
  {
    url: t.String({ description: 'the secret address, which no other answer has' }),
    created_at: t.String(),
  },
  { title: 'CreatedCalendarFeed' },
)

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const success = true as const

/** `/corrections/calendar`: the secret address of an organization's calendar feed, stored as a hash. */
export const calendarRoutes = ({ guard, db, clock, publicUrl }: FeedDeps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/corrections/calendar', tags: ['Corrections'] })
    .use(signedIn({ ...guard, writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller }) => ({ created_at: isoTimeOrNull(await feedMadeAt(db.read, caller.organizationId)) }),
      operation('getCorrectionCalendar', 'When the address of the calendar feed was made', {
        description: 'The address itself is only in the answer that made it.',
        200: CalendarFeed,
      }),
    )
    .post(
      '/',
      async ({ caller, set }) => {
        const secret = randomBytes(16).toString('hex')
        const created_at = clock.now()
        await db.write.transaction().execute(async (trx) => {
          const row = { organization_id: caller.organizationId, secret_hash: hashOf(secret), created_at }
          const is_renewed = await setFeed(trx, row)
          await recordAudit(trx, caller, { event: 'calendar_feed_created', details: { is_renewed } }, created_at)
        })
        set.status = 201
        return { url: `${publicUrl().replace(/\/$/, '')}/calendar/${secret}.ics`, created_at: isoTime(created_at) }
      },
      operation('createCorrectionCalendar', 'Make the address of the calendar feed, and revoke the one before', {
        description:
          'For administrators, with the access token of a session. No body is needed. `url` answers everybody who has ' +
          'it with announced corrections as iCalendar (RFC 5545). It is stored as a hash and in this answer only.',
        201: CreatedCalendarFeed,
      }),
    )
    .delete(
      '/',
      async ({ caller }) => {
        await db.write.transaction().execute(async (trx) => {
          if (!(await removeFeed(trx, caller.organizationId))) throw notFound('Calendar feed')
          await recordAudit(trx, caller, { event: 'calendar_feed_revoked' }, clock.now())
        })
        return { success, message: 'Calendar feed revoked' }
      },
      operation('deleteCorrectionCalendar', 'Revoke the address of the calendar feed', {
        description: 'For administrators, with the access token of a session. The address is unknown at once.',
        200: t.Object({ success: t.Literal(true), message: t.String() }),
        404: 'There is no calendar feed',
      }),
    )

type Deps = Omit<FeedDeps, 'db'> & {
  db: Pick<Database, 'read'>
  instanceId: string
  originOf: OriginReader
  /** Limit of requests to unknown addresses, which heartbeats count too. */
  ingestLimits: { countUnknown: (network: string) => void; waitOf: (network: string) => number | null }
}

/** `/calendar/<secret>.ics`: the address is the authorization. Any other address there gets the same 404. */
export const calendarFeedRoutes = ({ db, clock, publicUrl, instanceId, originOf, ingestLimits }: Deps) => {
  async function write(found: FoundFeed): Promise<string> {
    const nowMs = clock.now()
    const corrections = await listForFeed(db.read, found.organizationId, nowMs)
    const names = await listFeedNames(db.read, found, corrections)
    const pageUrl = `${publicUrl().replace(/\/$/, '')}/corrections`
    return runCooperatively(found.organizationId, feedOf({ corrections, names, nowMs, instanceId, pageUrl }))
  }

  return new Elysia({ detail: { hide: true } })
    .onParse({ as: 'local' }, deferBody)
    .get('/calendar/*', async ({ request, server, set }) => {
      const withStatus = (response: Response) => {
        set.status = response.status // for the log and the metrics
        return response
      }
      const network = networkOf(originOf(request, server).ip)
      const waitSeconds = ingestLimits.waitOf(network)
      if (waitSeconds !== null)
        return withStatus(plain('rate limit exceeded', 429, { 'retry-after': String(waitSeconds) }))
      const secret = /^\/calendar\/([0-9a-f]{32})\.ics(?:\?|$)/.exec(pathOf(request))?.[1]
      const found = secret === undefined ? undefined : await findFeed(db.read, hashOf(secret))
      if (!found) {
        ingestLimits.countUnknown(network)
        return withStatus(plain('not found', 404))
      }
      const text = await write(found)
      const etag = entityTag(text)
      const headers = { etag, 'cache-control': 'private, no-cache' }
      const ifNoneMatch = request.headers.get('if-none-match')
      if (ifNoneMatch !== null && namesTag(ifNoneMatch, etag))
        return withStatus(new Response(null, { status: 304, headers }))
      const type = { 'content-type': 'text/calendar; charset=utf-8' }
      const file = { 'content-disposition': 'attachment; filename="corrections.ics"' }
      return new Response(text, { headers: { ...headers, ...type, ...file } })
    })
}

function plain(text: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
}
