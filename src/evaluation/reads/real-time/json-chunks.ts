import { createYielder } from '../../../concurrency/yielder.ts'

/** Period `[fromMs, untilMs)` in which something is valid, if the clock is not set. */
export type ValidityPeriod = { fromMs: number; untilMs: number }

/** JSON of one SLO: texts to be joined by its age, counted from `measuredAtMs`; null: one text, without an age. */
export type SloJson = ValidityPeriod & { texts: string[]; measuredAtMs: number | null }

/** JSON of some SLOs. */
type JsonChunk = ValidityPeriod & { parts: SloJson[]; bytes: Uint8Array }

/** JSON of all SLOs, `length` bytes. */
export type JsonDocument = ValidityPeriod & { chunks: JsonChunk[]; bytes: Uint8Array[]; length: number }

const partsPerChunk = 100

/**
 * Assembles the JSON as of `fromMs`, valid at most until `untilMs`. A chunk of `lastDocument` is reused if none of its parts was
 * replaced and no age has changed.
 */
export async function writeDocument(
  parts: SloJson[],
  { fromMs, untilMs: latestMs }: ValidityPeriod,
  lastDocument?: JsonDocument,
): Promise<JsonDocument> {
  const yielder = createYielder(1)
  const chunks: JsonChunk[] = []
  for (let first = 0; first < parts.length; first += partsPerChunk) {
    const chunkParts = parts.slice(first, first + partsPerChunk)
    const previous = lastDocument?.chunks[chunks.length]
    const isReusable = previous !== undefined && isInside(previous, fromMs) && areSame(previous.parts, chunkParts)
    chunks.push(isReusable ? previous : writeChunk(chunkParts, fromMs, first === 0 ? '{"metrics":[' : ','))
    if (yielder.isDue()) await yielder.next()
  }
  const end = new TextEncoder().encode(`],"total":${parts.length}}`)
  return {
    chunks,
    bytes: [...chunks.map(({ bytes }) => bytes), end],
    length: chunks.reduce((sum, { bytes }) => sum + bytes.length, end.length),
    fromMs,
    untilMs: chunks.reduce((min, { untilMs }) => Math.min(min, untilMs), latestMs),
  }
}

function writeChunk(parts: SloJson[], fromMs: number, start: string): JsonChunk {
  let untilMs = Infinity
  let last = { measuredAtMs: Number.NaN, age: '' } // most SLOs are measured at the same time
  const texts = parts.map(({ texts, measuredAtMs }) => {
    if (measuredAtMs !== null && measuredAtMs !== last.measuredAtMs) {
      const ageSeconds = Math.max(0, Math.floor((fromMs - measuredAtMs) / 1000))
      untilMs = Math.min(untilMs, measuredAtMs + (ageSeconds + 1) * 1000)
      last = { measuredAtMs, age: ageField(ageSeconds) }
    }
    return texts.join(last.age)
  })
  return { parts, bytes: new TextEncoder().encode(`${start}${texts.join(',')}`), fromMs, untilMs }
}

export function ageField(seconds: number): string {
  return `"age_seconds":${seconds}`
}

export function isInside({ fromMs, untilMs }: ValidityPeriod, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < untilMs
}

function areSame(one: SloJson[], other: SloJson[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index])
}
