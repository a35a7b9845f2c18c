import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../../../concurrency/chunks.ts'
import { createYielder } from '../../../concurrency/yielder.ts'
import { stateValidUntil } from '../../read-state.ts'
import { listActiveSloIds } from '../../state-store.ts'
import { type Deps, earlierHoldUntil, metricAt, readStored, type RealTimeMetric, type StoredMetric } from './metrics.ts'
import { presentMetric } from './model.ts'
import {
  ageField,
  isInside,
  type SloJson as WrittenPart,
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
type Part = WrittenPart & { stored: StoredMetric }
/** `version` of the database and `position` in its `sloChanges`, both from before the SLOs were read. */
type CacheEntry = ValidityPeriod & {
  version: number
  position: number
  parts: Map<number, Part>
  written: JsonDocument
}

const maxSmall = 300
const batchSize = 200
const maxKeptBytes = 32 << 20 // of JSON; the parts it is made from take about twice as much
const keptMs = 60_000

/**
 * Caches the JSON and returns it for all requests until something is committed or an age changes. Then only the ages are
 * written again, or the SLOs that have changed. The cache is emptied a minute after the last write to it.
 */
export function createRealTimeCache({ db, clock, config }: Deps): RealTimeCache {
  const keptOf = new Map<number, CacheEntry>() // least recently written first
  const underWay = new Map<number, Promise<Uint8Array[] | null>>()
  let forgetting: ReturnType<typeof setTimeout> | undefined

  function present(organizationId: number): Uint8Array[] | null {
    const kept = keptOf.get(organizationId)
    if (!kept || !isInside(kept.written, clock.now()) || kept.version !== db.version()) return null
    return kept.written.bytes
  }

  async function write(organizationId: number): Promise<Uint8Array[] | null> {
    const [before, nowMs] = [keptOf.get(organizationId), clock.now()]
    const version = db.version() // first, so that a later commit is noticed
    const position = db.sloChanges.position()
    const parts = await readParts(organizationId, before, nowMs)
    if (!parts) return null
    const untilMs = [...parts.values()].reduce((min, part) => Math.min(min, part.untilMs), earlierHoldUntil(nowMs))
    const written = await writeDocument([...parts.values()], { fromMs: nowMs, untilMs }, before?.written)
    keep(organizationId, { fromMs: nowMs, untilMs, version, position, parts, written })
    return written.bytes
  }

  /**
   * Reads the parts; null: there are few SLOs. Of cached parts it reads only those written to since, or all once they are out
   * of date.
   */
  async function readParts(organizationId: number, before: CacheEntry | undefined, nowMs: number) {
    const changed = before && isInside(before, nowMs) ? db.sloChanges.since(before.position) : null
    if (before && changed?.size === 0) return before.parts
    const isListed = before && changed?.isSubsetOf(before.parts) // a new SLO is not among the cached parts
    const ids = isListed ? [...before.parts.keys()] : await listActiveSloIds(db.read, organizationId)
    if (ids.length <= maxSmall) return null
    const isUnread = (id: number) => !changed || changed.has(id) || !before?.parts.has(id)
    const fresh: CacheEntry['parts'] = new Map()
    const turn = createYielder(1)
    for (const some of inChunks(ids.filter(isUnread), batchSize)) {
      for (const stored of await readStored({ db, clock, config }, some, nowMs)) {
        const known = before?.parts.get(stored.slo.id)
        const holds = known && isInside(known, nowMs) && isSameStored(known.stored, stored)
        fresh.set(stored.slo.id, holds ? known : partOf(stored, nowMs))
        if (turn.isDone()) await turn.next()
      }
      await nextTurn()
    }
    const parts: CacheEntry['parts'] = new Map()
    for (const id of ids) {
      const part = isUnread(id) ? fresh.get(id) : before?.parts.get(id)
      if (part) parts.set(id, part)
    }
    return parts.size > maxSmall ? parts : null
  }

  function partOf(stored: StoredMetric, nowMs: number): Part {
    const metric = metricAt(stored, nowMs, config)
    const untilMs = stateValidUntil(stored.state, nowMs, config.evaluationIntervalSeconds)
    const measuredAtMs = metric.now.ageSeconds === null ? null : (stored.state?.measured_at ?? null)
    const texts = JSON.stringify(presentMetric(withoutAge(metric))).split(ageField(unwritten))
    return { stored, texts, measuredAtMs, fromMs: nowMs, untilMs }
  }

  function keep(organizationId: number, kept: CacheEntry): void {
    clearTimeout(forgetting)
    forgetting = setTimeout(() => keptOf.clear(), keptMs).unref()
    keptOf.delete(organizationId)
    keptOf.set(organizationId, kept)
    let bytes = keptOf.values().reduce((sum, { written }) => sum + written.length, 0)
    for (const [id, { written }] of keptOf) {
      if (bytes <= maxKeptBytes) break
      keptOf.delete(id)
      bytes -= written.length
    }
  }

  function begin(organizationId: number): Promise<Uint8Array[] | null> {
    const writing = write(organizationId).finally(() => underWay.delete(organizationId))
    underWay.set(organizationId, writing)
    return writing
  }

  return {
    async getLarge(organizationId) {
      const known = present(organizationId)
      if (known) return known
      const begun = underWay.get(organizationId) // may have begun before a commit that this caller has seen
      if (!begun) return begin(organizationId)
      await begun.catch(() => {}) // the caller that began it gets the error
      return present(organizationId) ?? underWay.get(organizationId) ?? begin(organizationId)
    },
  }
}

/**
 * Placeholder for an age until it is written. It is unambiguous: quotes inside a text are escaped, and no label is a number.
 */
const unwritten = -1

function withoutAge(metric: RealTimeMetric): RealTimeMetric {
  const { now } = metric
  if (now.ageSeconds === null) return metric
  const lastMeasured = now.lastMeasured && { ...now.lastMeasured, ageSeconds: unwritten }
  return { ...metric, now: { ...now, ageSeconds: unwritten, lastMeasured } }
}

/** True if nothing has changed; both must be of the same SLO. */
function isSameStored(one: StoredMetric, other: StoredMetric): boolean {
  if (one.dayAgo !== other.dayAgo || one.weekAgo !== other.weekAgo) return false
  return isSameRow(one.slo, other.slo) && isSameRow(one.state, other.state)
}

function isSameRow<T extends object>(one: T | null, other: T | null): boolean {
  if (one === null || other === null) return one === other
  for (const column in one) if (one[column] !== other[column]) return false
  return true
}
