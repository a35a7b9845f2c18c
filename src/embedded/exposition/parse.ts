import { runSync, type CooperativeTask } from '../../concurrency/cooperative.ts'
import { type Cursor, refused, tooLarge } from './cursor.ts'
import { decodingUtf8 } from './decode.ts'
import { readOpenMetricsLine } from './open-metrics.ts'
import { defaultLimits, type ExpositionLimits, type FamilyMetadata, type Sample } from './sample.ts'
import { readTextLine, type Sink } from './text-format.ts'

/** Samples in the order of the text. If a series occurs twice at one time, Prometheus keeps the first. */
export type Exposition = { samples: Sample[]; metadata: ReadonlyMap<string, FamilyMetadata> }

/**
 * `contentType`: the header; null if the target sent none. `keepEmpty`: keeps labels without a value, which with `honor_labels`
 * suppress the target's label of that name.
 */
type Options = { contentType: string | null; keepEmpty?: boolean; limits?: Partial<ExpositionLimits> }

/**
 * Reads a whole scrape like Prometheus 3.5: as OpenMetrics 1.0 if that is the content type, otherwise as text format 0.0.4. An
 * empty body has no samples. One bad line refuses the whole scrape: throws `invalid` with the line and what was expected there,
 * and `too_large` beyond `limits.samples`. Stricter than Prometheus in two of its accidents: a NUL at the start of a line (it
 * stops reading there without an error), and a duplicate label of which one is empty (it drops both).
 */
export function parseExposition(body: string | Uint8Array, options: Options): Exposition {
  return runSync(parsingExposition(body, options))
}

const linesPerBatch = 50

/** `parseExposition` as steps that may be interrupted. */
export function* parsingExposition(
  body: string | Uint8Array,
  { contentType, keepEmpty, limits }: Options,
): CooperativeTask<Exposition> {
  const exposition = { samples: [] as Sample[], metadata: new Map<string, FamilyMetadata>() }
  if (body.length === 0) return exposition
  const sink = sinkFor(exposition, { ...defaultLimits, ...limits }, keepEmpty)
  const open = isOpenMetrics(contentType)
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)
  const text = yield* decodingUtf8(bytes, 0, open ? 'nothing' : 'free comments')
  const cursor: Cursor = { text, at: 0, linesBefore: 0 }
  let isEnded = false
  for (let line = 1; cursor.at < text.length; line += 1) {
    if (isEnded) throw refused(cursor, 'nothing after "# EOF"')
    if (open) isEnded = readOpenMetricsLine(cursor, sink)
    else readTextLine(cursor, sink)
    if (line % linesPerBatch === 0) yield
  }
  if (open && !isEnded) throw refused(cursor, '"# EOF"')
  return exposition
}

export function isOpenMetrics(contentType: string | null): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/openmetrics-text'
}

function sinkFor(
  { samples, metadata }: { samples: Sample[]; metadata: Map<string, FamilyMetadata> },
  limits: ExpositionLimits,
  keepEmpty: boolean | undefined,
): Sink {
  return {
    keepEmpty,
    limits,
    sample(sample) {
      if (samples.length >= limits.samples) throw tooLarge(`at most ${limits.samples} samples`)
      samples.push(sample)
    },
    family(name, comment) {
      metadata.set(name, { ...metadata.get(name), ...comment })
    },
  }
}
