import { atOnce, type Steps } from '../../concurrency/steps.ts'
import { type Cursor, refused, tooLarge } from './cursor.ts'
import { decodingUtf8 } from './decode.ts'
import { readOpenMetricsLine } from './open-metrics.ts'
import { defaultLimits, type ExpositionLimits, type FamilyMetadata, type Sample } from './sample.ts'
import { readTextLine, type Sink } from './text-format.ts'

/** Samples as they stand in the text: where a series comes twice at one time, Prometheus keeps the first. */
export type Exposition = { samples: Sample[]; metadata: ReadonlyMap<string, FamilyMetadata> }

/**
 * `contentType`: the header, null where the target sent none. `keepEmpty`: labels without a value stay, for with
 * `honor_labels` they keep those of the target away.
 */
type Options = { contentType: string | null; keepEmpty?: boolean; limits?: Partial<ExpositionLimits> }

/**
 * Reads a whole scrape, OpenMetrics 1.0 where the content type says so and else text format 0.0.4, as Prometheus 3.5 does.
 * An empty body is a scrape of nothing.
 * One bad line refuses it all: `invalid` with the line and what was expected there, `too_large` beyond `limits.samples`.
 * Stricter than Prometheus in two accidents of it: a NUL at the start of a line (it stops reading there and calls the rest
 * well), and a label twice of which one is empty (it drops both).
 */
export function parseExposition(body: string | Uint8Array, options: Options): Exposition {
  return atOnce(parsingExposition(body, options))
}

const linesAtOnce = 50

/** As `parseExposition`, to be done in turns. */
export function* parsingExposition(
  body: string | Uint8Array,
  { contentType, keepEmpty, limits }: Options,
): Steps<Exposition> {
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
    if (line % linesAtOnce === 0) yield
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
    family(name, said) {
      metadata.set(name, { ...metadata.get(name), ...said })
    },
  }
}
