import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../clock.ts'
import { invalid, notFound } from '../errors.ts'
import { readJson } from '../http/bodies/body.ts'
import { operation } from '../http/openapi/operation.ts'
import { pageFields, readPage } from '../http/paging.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import {
  DoneResponse,
  EntriesResponse,
  EntryResponse,
  InvalidationResponse,
  presentEntry,
  presentSummary,
  presentStatistics,
  StatisticsResponse,
  WarmupResponse,
} from './answers/model.ts'
import type { Cache } from './cache.ts'
import { EntriesQuery, EntryCreation, Invalidation, KeyParams, msOf, WarmupRequest } from './model.ts'
import type { Removal } from './removal.ts'

type WarmQuery = { query: string; sloId: number; timeWindow: string; ttlMs?: number }
type WarmReport = { warmed: number; failed: { query: string; error: string }[] }

type Deps = {
  cache: Cache
  clock: Clock
  /** Queries the source, and caches its answers. */
  warm: (organizationId: number, queries: WarmQuery[]) => Promise<WarmReport>
  guard: GuardDeps
}

const ok = (message: string) => ({ success: true as const, message })
const ttlOf = (nanoseconds: number | undefined) => (nanoseconds === undefined ? {} : { ttlMs: msOf(nanoseconds) })
const refuseMissingKey = (): never => {
  throw invalid('key', 'is required in the path: /cache/entry/KEY')
}

/** Limit of JSON values in a body: a result may have many samples. */
const maxValuesOfResult = 200_000

/** Separate from the other routes, because no other body has as many values. */
const entryRoute = ({ cache, guard }: Pick<Deps, 'cache' | 'guard'>) =>
  new Elysia()
    .use(
      signedIn({
        ...guard,
        writes: 'member',
        readBody: (request, bounds) => readJson(request, { ...bounds, maxValues: maxValuesOfResult }),
      }),
    )
    .post(
      '/entry',
      async ({ caller, body }) => {
        const { key, query, slo_id: sloId, time_window: timeWindow } = body
        const name = { organizationId: caller.organizationId, key, query, sloId, timeWindow }
        if (body.result === undefined) throw invalid('result', 'is required: any JSON')
        await cache.store({ ...name, result: JSON.stringify(body.result), ...ttlOf(body.ttl) })
        return ok('Cache entry stored')
      },
      operation('storeCacheEntry', 'Store an entry', {
        description:
          'For members. Replaces an entry of this key. `result` is any JSON; without `ttl` (nanoseconds) it is ' +
          'kept as long as `default_ttl` says. Entries with the least recent use go first where the cache is full.',
        body: EntryCreation,
        200: DoneResponse,
        409: 'The result alone is larger than all that the organization may have in the cache',
        503: 'nines is stopping, or the disk is full: the entry is not stored',
      }),
    )

/** Routes of `/cache`: the cached results of an organization. All of its users read them, members change them. */
export const cacheRoutes = ({ cache, clock, warm, guard }: Deps) =>
  new Elysia({ prefix: '/cache', tags: ['Cache'] })
    .use(entryRoute({ cache, guard }))
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/statistics',
      async ({ caller }) => ({
        success: true as const,
        data: presentStatistics(await cache.statistics(caller.organizationId)),
      }),
      operation('getCacheStatistics', 'Get the size of the cache, and how often it was hit', {
        description:
          'Of the entries of the organization. Hot: hit at least ten times within the running and the last full hour; cold: ' +
          'neither stored nor hit for a day.',
        200: StatisticsResponse,
      }),
    )
    .get(
      '/entries',
      async ({ caller, query }) => {
        const { slo_id: sloId, fresh: only } = query
        const page = readPage(query, 20)
        const fresh = only === undefined ? undefined : only === 'true'
        const { entries, total } = await cache.list(caller.organizationId, { ...page, sloId, fresh })
        const listed = entries.map((entry) => presentSummary(entry, clock.now()))
        return { success: true as const, data: { entries: listed, ...pageFields(page, total) } }
      },
      operation('listCacheEntries', 'List entries', {
        description:
          'The latest first, fresh or expired; 20 to a page where `page_size` is absent. Results are not in the ' +
          'list.',
        query: EntriesQuery,
        200: EntriesResponse,
      }),
    )
    .get('/entry', refuseMissingKey, { detail: { hide: true } })
    .delete('/entry', refuseMissingKey, { detail: { hide: true } })
    .get(
      '/entry/:key',
      async ({ caller, params }) => {
        const entry = await cache.read(caller.organizationId, params.key)
        if (!entry) throw notFound('Cache entry')
        return { success: true as const, data: presentEntry(entry, clock.now()) }
      },
      operation('getCacheEntry', 'One entry, with its result', {
        description:
          'An expired entry too (`is_fresh`). Reading it counts as a hit, and one that is not there as a miss.',
        params: KeyParams,
        200: EntryResponse,
      }),
    )
    .delete(
      '/entry/:key',
      async ({ caller, params }) => {
        const removedCount = await cache.remove(caller.organizationId, { type: 'key', key: params.key })
        if (removedCount === 0) throw notFound('Cache entry')
        return ok('Cache entry deleted')
      },
      operation('deleteCacheEntry', 'Delete an entry', {
        description: 'For members. The next query with its key is sent to the source again.',
        params: KeyParams,
        200: DoneResponse,
      }),
    )
    .post(
      '/invalidate',
      async ({ caller, body }) => {
        const invalidations = await cache.remove(caller.organizationId, removalOf(body))
        return { ...ok('Cache invalidated'), data: { type: body.type, invalidations, timestamp: isoTime(clock.now()) } }
      },
      operation('invalidateCache', 'Delete entries by key, SLO, pattern or age, or all', {
        description:
          'For members. `type` decides which other field is needed: `key`, `slo_id` or `pattern` (a prefix, or a ' +
          'glob with `*` and `?`). Only entries of the organization go.',
        body: Invalidation,
        200: InvalidationResponse,
      }),
    )
    .post(
      '/warmup',
      async ({ caller, body }) => {
        const queries = body.queries.map(({ query, slo_id: sloId, time_window: timeWindow, ttl }) => ({
          query,
          sloId,
          timeWindow,
          ...ttlOf(ttl),
        }))
        const { warmed, failed } = await warm(caller.organizationId, queries)
        return { ...ok('Cache warmed'), data: { queries_warmed: warmed, failed, timestamp: isoTime(clock.now()) } }
      },
      operation('warmCache', 'Query a source, and keep the answers', {
        description:
          'For members. Sends at most 100 queries, each to the source of its SLO, or to the default one with ' +
          '`slo_id` 0. The query of an SLO itself is calculated over `time_window`. Those that fail are listed ' +
          'with their errors, and the answers of the others are kept.',
        body: WarmupRequest,
        200: WarmupResponse,
        503: 'nines is stopping',
      }),
    )

/** Throws `invalid` if the parameter of the type is missing. */
function removalOf({ type, key, slo_id: sloId, pattern }: Invalidation): Removal {
  const needed = <T>(field: string, value: T | undefined): T => {
    if (value === undefined) throw invalid(field, `is required with the type ${type}`)
    return value
  }
  if (type === 'key') return { type, key: needed('key', key) }
  if (type === 'slo') return { type, sloId: needed('slo_id', sloId) }
  if (type === 'pattern') return { type, pattern: needed('pattern', pattern) }
  return { type }
}
