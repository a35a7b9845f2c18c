import { minuteMs } from '../../../clock.ts'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import { inChunks } from '../../../concurrency/chunks.ts'
import { createSharedReads } from '../../../concurrency/shared-reads.ts'
import { createYielder } from '../../../concurrency/yielder.ts'
import { stateValidUntil } from '../../read-state.ts'
import { listActiveSloIds } from '../../state-store.ts'
import {
  type Deps,
  pastValuesValidUntil,
  metricAt,
  readStored,
  type RealTimeMetric,
  type StoredMetric,
} from './metrics.ts'
import { presentMetric } from './model.ts'
import {
  ageField,
  isInside,
  type SloJson,
  type ValidityPeriod,
  writeDocument,
  type JsonDocument,
} from './json-chunks.ts'

/** Serialized real-time metrics of organizations with many SLOs, which take too long to serialize for each request. */
export type RealTimeCache = {
  /** Bytes of the JSON, in pieces; null if the organization has so few SLOs that the caller serializes them itself. */
  getLarge(organizationId: number): Promise<Uint8Array[] | null>
}

/** `stored`: the values it was serialized from. */
type Part = SloJson & { stored: StoredMetric }
/** `version` of the database and `position` in its `sloChanges`, both from before the SLOs were read. */
type CacheEntry = ValidityPeriod & {
  version: number
  position: number
  parts: Map<number, Part>
  written: JsonDocument
}

const maxUncachedSlos = 300
const batchSize = 200
const maxCachedBytes = 32 << 20 // of JSON; the parts it is made from take about twice as much
const cachedMs = minuteMs

/**
 * Caches the JSON and returns it for all requests until something is committed or an age changes. Then only the ages are
 * written again, or the SLOs that have changed. An entry is dropped a minute after the last write to it.
 */
export function createRealTimeCache({ db, clock, config }: Deps): RealTimeCache {
  const cached = new LRUCache<number, CacheEntry>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ written }) => written.length,
    ttl: cachedMs,
    ttlAutopurge: true,
  })
  const shareRead = createSharedReads<Uint8Array[] | null>(db.version)

  async function write(organizationId: number): Promise<Uint8Array[] | null> {
    const [cachedEntry, nowMs] = [cached.get(organizationId), clock.now()]
    const version = db.version() // first, so that a later commit is noticed
    const position = db.sloChanges.position()
    const parts = await readParts(organizationId, cachedEntry, nowMs)
    if (!parts) return null
    const untilMs = [...parts.values()].reduce((min, part) => Math.min(min, part.untilMs), pastValuesValidUntil(nowMs))
    const written = await writeDocument([...parts.values()], { fromMs: nowMs, untilMs }, cachedEntry?.written)
    cached.set(organizationId, { fromMs: nowMs, untilMs, version, position, parts, written })
    return written.bytes
  }

  /**
   * Reads the parts; null: there are few SLOs. While the cached entry is valid, reads only the SLOs that have changed since it
   * was written.
   */
  async function readParts(organizationId: number, cachedEntry: CacheEntry | undefined, nowMs: number) {
    const changed = cachedEntry && isInside(cachedEntry, nowMs) ? db.sloChanges.since(cachedEntry.position) : null
    if (cachedEntry && changed?.size === 0) return cachedEntry.parts
    const isListed = cachedEntry && changed?.isSubsetOf(cachedEntry.parts) // a new SLO is not among the cached parts
    const ids = isListed ? [...cachedEntry.parts.keys()] : await listActiveSloIds(db.read, organizationId)
    if (ids.length <= maxUncachedSlos) return null
    const isUnread = (id: number) => !changed || changed.has(id) || !cachedEntry?.parts.has(id)
    const fresh: CacheEntry['parts'] = new Map()
    const yielder = createYielder(1)
    for (const chunk of inChunks(ids.filter(isUnread), batchSize)) {
      for (const stored of await readStored({ db, clock, config }, chunk, nowMs)) {
        const cachedPart = cachedEntry?.parts.get(stored.slo.id)
        const holds = cachedPart && isInside(cachedPart, nowMs) && isDeepStrictEqual(cachedPart.stored, stored)
        fresh.set(stored.slo.id, holds ? cachedPart : partOf(stored, nowMs))
        if (yielder.isDue()) await yielder.next()
      }
      await yieldToEventLoop()
    }
    const parts: CacheEntry['parts'] = new Map()
    for (const id of ids) {
      const part = isUnread(id) ? fresh.get(id) : cachedEntry?.parts.get(id)
      if (part) parts.set(id, part)
    }
    return parts.size > maxUncachedSlos ? parts : null
  }

  function partOf(stored: StoredMetric, nowMs: number): Part {
    const metric = metricAt(stored, nowMs, config)
    const untilMs = stateValidUntil(stored.state, nowMs, config.evaluationIntervalSeconds)
    const measuredAtMs = metric.state.ageSeconds === null ? null : (stored.state?.measured_at ?? null)
    const texts = JSON.stringify(presentMetric(withoutAge(metric))).split(ageField(agePlaceholder))
    return { stored, texts, measuredAtMs, fromMs: nowMs, untilMs }
  }

  return {
    async getLarge(organizationId) {
      const document = cached.get(organizationId)
      if (document?.version === db.version() && isInside(document.written, clock.now())) return document.written.bytes
      return shareRead(organizationId, () => write(organizationId))
    },
  }
}

/**
 * Placeholder for an age until it is written. It is unambiguous: quotes inside a text are escaped, and no label is a number.
 */
const agePlaceholder = -1

function withoutAge(metric: RealTimeMetric): RealTimeMetric {
  const { state } = metric
  if (state.ageSeconds === null) return metric
  const lastMeasured = state.lastMeasured && { ...state.lastMeasured, ageSeconds: agePlaceholder }
  return { ...metric, state: { ...state, ageSeconds: agePlaceholder, lastMeasured } }
}
