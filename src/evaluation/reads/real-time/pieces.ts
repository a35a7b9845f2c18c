import { createTurn } from '../../../concurrency/turn.ts'

/** `[fromMs, untilMs)`: when something may be said, if the clock goes on. */
export type Span = { fromMs: number; untilMs: number }

/** The JSON of an SLO: texts with its age between them, which is that of `measuredAtMs`. */
export type Part = Span & { texts: string[]; measuredAtMs: number | null }

/** The JSON of some SLOs. */
type Piece = Span & { parts: Part[]; bytes: Uint8Array }

/** The JSON of all SLOs, `length` bytes. */
export type Written = Span & { pieces: Piece[]; bytes: Uint8Array[]; length: number }

const partsAPiece = 100

/**
 * As of `fromMs`; holds at most until `untilMs`. Of what was written before, the pieces stay in which no part is another and no
 * age has changed.
 */
export async function writeParts(
  parts: Part[],
  { fromMs, untilMs: latestMs }: Span,
  before?: Written,
): Promise<Written> {
  const turn = createTurn(1)
  const pieces: Piece[] = []
  for (let first = 0; first < parts.length; first += partsAPiece) {
    const own = parts.slice(first, first + partsAPiece)
    const known = before?.pieces[pieces.length]
    const holds = known !== undefined && isInside(known, fromMs) && areSame(known.parts, own)
    pieces.push(holds ? known : writePiece(own, fromMs, first === 0 ? '{"metrics":[' : ','))
    if (turn.isDone()) await turn.next()
  }
  const end = new TextEncoder().encode(`],"total":${parts.length}}`)
  return {
    pieces,
    bytes: [...pieces.map(({ bytes }) => bytes), end],
    length: pieces.reduce((sum, { bytes }) => sum + bytes.length, end.length),
    fromMs,
    untilMs: pieces.reduce((least, { untilMs }) => Math.min(least, untilMs), latestMs),
  }
}

function writePiece(parts: Part[], fromMs: number, start: string): Piece {
  let untilMs = Infinity
  let last = { measuredAtMs: Number.NaN, age: '' } // most are measured at once
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

export function isInside({ fromMs, untilMs }: Span, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < untilMs
}

function areSame(some: Part[], others: Part[]): boolean {
  return some.length === others.length && some.every((part, place) => part === others[place])
}
