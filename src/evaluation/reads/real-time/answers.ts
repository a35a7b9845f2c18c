import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../../../concurrency/chunks.ts'
import { createTurn } from '../../../concurrency/turn.ts'
import { stateHoldsUntil } from '../../read-state.ts'
import { listListedIds } from '../../state-store.ts'
import { type Deps, earlierHoldUntil, metricAt, readStored, type RealTimeMetric, type StoredMetric } from './metrics.ts'
import { presentMetric } from './model.ts'

/** The JSON of organizations of many SLOs, which would take long to write for each who asks. */
export type RealTimeAnswers = {
  /** The bytes of the JSON, in pieces; null for an organization of so few SLOs that they are written at once. */
  ofMany(organizationId: number): Promise<Uint8Array[] | null>
}

/** `[fromMs, untilMs)`: when something may be said, if the clock goes on. */
type Span = { fromMs: number; untilMs: number }

/** The JSON of an SLO: texts with its age between them, which is that of `measuredAtMs`. */
type Part = Span & { stored: StoredMetric; texts: string[]; measuredAtMs: number | null }
type Written = Span & { pieces: Uint8Array[]; bytes: number }
/** `version`: of the database from which it was read. */
type Kept = Span & { version: number; parts: Map<number, Part>; written: Written }

const maxAtOnce = 300
const slosAtOnce = 500
const charactersAPiece = 65_536
const maxKeptBytes = 32 << 20 // of JSON; what it is written from takes about twice as much
const keptMs = 60_000

/**
 * What is written is kept for a minute after it was last asked for, and given to all who ask until something is committed or
 * an age changes. Then only the ages are written again, or the SLOs of which something has changed.
 */
export function createRealTimeAnswers({ db, clock, config }: Deps): RealTimeAnswers {
  const keptOf = new Map<number, Kept>() // the last that was asked for is the last
  const underWay = new Map<number, Promise<Uint8Array[] | null>>()
  let forgetting: ReturnType<typeof setTimeout> | undefined

  function present(organizationId: number): Uint8Array[] | null {
    const kept = keptOf.get(organizationId)
    if (!kept || !isInside(kept.written, clock.now()) || kept.version !== db.version()) return null
    return kept.written.pieces
  }

  async function write(organizationId: number): Promise<Uint8Array[] | null> {
    const [before, nowMs] = [keptOf.get(organizationId), clock.now()]
    const version = db.version() // before the rest is read: what is committed later shows
    const isSame = before !== undefined && before.version === version && isInside(before, nowMs)
    const parts = isSame ? before.parts : await readParts(organizationId, before?.parts, nowMs)
    if (!parts) return null
    const untilMs = [...parts.values()].reduce((least, part) => Math.min(least, part.untilMs), earlierHoldUntil(nowMs))
    const written = await writeParts([...parts.values()], { fromMs: nowMs, untilMs })
    keep(organizationId, { fromMs: nowMs, untilMs, version, parts, written })
    return written.pieces
  }

  /** Null: they are few. */
  async function readParts(organizationId: number, before: Kept['parts'] | undefined, nowMs: number) {
    const ids = await listListedIds(db.read, organizationId)
    if (ids.length <= maxAtOnce) return null
    const parts: Kept['parts'] = new Map()
    for (const some of inChunks(ids, slosAtOnce)) {
      for (const stored of await readStored({ db, clock, config }, some, nowMs)) {
        const known = before?.get(stored.slo.id)
        const holds = known && isInside(known, nowMs) && isSameStored(known.stored, stored)
        parts.set(stored.slo.id, holds ? known : partOf(stored, nowMs))
      }
      await nextTurn()
    }
    return parts
  }

  function partOf(stored: StoredMetric, nowMs: number): Part {
    const metric = metricAt(stored, nowMs, config)
    const untilMs = stateHoldsUntil(stored.state, nowMs, config.evaluationIntervalSeconds)
    const measuredAtMs = metric.now.ageSeconds === null ? null : (stored.state?.measured_at ?? null)
    const texts = JSON.stringify(presentMetric(withoutAge(metric))).split(ageField(unwritten))
    return { stored, texts, measuredAtMs, fromMs: nowMs, untilMs }
  }

  function keep(organizationId: number, kept: Kept): void {
    clearTimeout(forgetting)
    forgetting = setTimeout(() => keptOf.clear(), keptMs).unref()
    keptOf.delete(organizationId)
    keptOf.set(organizationId, kept)
    let bytes = keptOf.values().reduce((sum, { written }) => sum + written.bytes, 0)
    for (const [id, { written }] of keptOf) {
      if (bytes <= maxKeptBytes) break
      keptOf.delete(id)
      bytes -= written.bytes
    }
  }

  function begin(organizationId: number): Promise<Uint8Array[] | null> {
    const writing = write(organizationId).finally(() => underWay.delete(organizationId))
    underWay.set(organizationId, writing)
    return writing
  }

  return {
    async ofMany(organizationId) {
      const known = present(organizationId)
      if (known) return known
      const begun = underWay.get(organizationId) // perhaps before something was committed that this caller knows of
      if (!begun) return begin(organizationId)
      await begun.catch(() => {}) // the one that has begun it throws
      return present(organizationId) ?? underWay.get(organizationId) ?? begin(organizationId)
    },
  }
}

function isInside({ fromMs, untilMs }: Span, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < untilMs
}

/** Stands for an age until it is written; inside a text the quotes would be escaped, and no label has a number. */
const unwritten = -1

function ageField(seconds: number): string {
  return `"age_seconds":${seconds}`
}

function withoutAge(metric: RealTimeMetric): RealTimeMetric {
  const { now } = metric
  if (now.ageSeconds === null) return metric
  const lastMeasured = now.lastMeasured && { ...now.lastMeasured, ageSeconds: unwritten }
  return { ...metric, now: { ...now, ageSeconds: unwritten, lastMeasured } }
}

/** As of `fromMs`; holds at most until `untilMs`. */
async function writeParts(parts: Part[], { fromMs, untilMs: latestMs }: Span): Promise<Written> {
  const encoder = new TextEncoder()
  const turn = createTurn()
  const pieces: Uint8Array[] = []
  let untilMs = latestMs
  let texts = ['{"metrics":[']
  let characters = 0
  let last = { measuredAtMs: Number.NaN, age: '' } // most are measured at once
  for (const [place, { texts: own, measuredAtMs }] of parts.entries()) {
    if (measuredAtMs !== null && measuredAtMs !== last.measuredAtMs) {
      const ageSeconds = Math.max(0, Math.floor((fromMs - measuredAtMs) / 1000))
      untilMs = Math.min(untilMs, measuredAtMs + (ageSeconds + 1) * 1000)
      last = { measuredAtMs, age: ageField(ageSeconds) }
    }
    for (const [at, text] of own.entries()) {
      texts.push(at > 0 ? last.age : place > 0 ? ',' : '', text)
      characters += text.length
    }
    if (characters > charactersAPiece) {
      pieces.push(encoder.encode(texts.join(''))) // half of what it takes to add one text to the other
      texts = []
      characters = 0
    }
    if (turn.isDone()) await turn.next()
  }
  pieces.push(encoder.encode(`${texts.join('')}],"total":${parts.length}}`))
  return { pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0), fromMs, untilMs }
}

/** Of the same SLO. */
function isSameStored(one: StoredMetric, other: StoredMetric): boolean {
  if (one.dayAgo !== other.dayAgo || one.weekAgo !== other.weekAgo) return false
  return isSameRow(one.slo, other.slo) && isSameRow(one.state, other.state)
}

function isSameRow<T extends object>(one: T | null, other: T | null): boolean {
  if (one === null || other === null) return one === other
  for (const column in one) if (one[column] !== other[column]) return false
  return true
}
