import { runSync } from '../../concurrency/cooperative.ts'
import { lineBreaks, syntaxError, tooLarge } from './cursor.ts'
import { type Grammar, grammarOf } from './labels.ts'
import { readingLines, startReading } from './parse.ts'
import { defaultLimits, type ExpositionLimits } from './sample.ts'
import { createScrapeCache, type Sample, type ScrapeCache } from './scrape-cache.ts'
import { assertUtf8 } from './utf8.ts'

export type BackfillSample = Sample & { timestampMs: number }

const newline = 10
const maxLineBytes = 1024 * 1024

/** State between two chunks. */
type Reader = { cache: ScrapeCache; grammar: Grammar; linesBefore: number; isEnded: boolean }

/**
 * Reads OpenMetrics text of any size, as `promtool tsdb create-blocks-from openmetrics` does: every sample has a timestamp and `#
 * EOF` is the last line. Throws `invalid` for a bad line, and `too_large` for a line longer than 1 MiB. Samples of earlier lines
 * are yielded before the error, one batch per chunk; samples of a series that was also in the previous chunk have the same `text`.
 * `linesBefore`: number of lines of the file before `chunks`.
 */
export async function* readBackfill(
  chunks: AsyncIterable<Uint8Array>,
  limits: Partial<Omit<ExpositionLimits, 'samples'>> = {},
  linesBefore = 0,
): AsyncGenerator<BackfillSample[], void, undefined> {
  const cache = createScrapeCache({ keepEmpty: false, limits: { ...defaultLimits, ...limits, samples: Infinity } })
  const reader: Reader = { cache, grammar: grammarOf(true, undefined), linesBefore, isEnded: false }
  let incomplete: Buffer[] = []
  let incompleteBytes = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk) // a copy: a stream may use its chunk again
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) {
      yield* readLines(reader, Buffer.concat([...incomplete, bytes.subarray(0, end)]))
      incomplete = []
      incompleteBytes = 0
    }
    incomplete.push(bytes.subarray(end))
    incompleteBytes += bytes.length - end
    if (incompleteBytes > maxLineBytes) {
      throw tooLarge(`at most ${maxLineBytes} bytes in line ${reader.linesBefore + 1}`)
    }
  }
  yield* readLines(reader, Buffer.concat(incomplete))
  if (!reader.isEnded) throw syntaxError({ bytes: Buffer.alloc(0), at: 0, linesBefore: reader.linesBefore }, '"# EOF"')
}

/** Reads whole lines in one go. At a bad line, yields the samples before it and then throws. */
function* readLines(reader: Reader, bytes: Buffer): Generator<BackfillSample[], void, undefined> {
  const { cache, grammar, linesBefore, isEnded } = reader
  runSync(assertUtf8(bytes, linesBefore, 'nothing'))
  const samples: BackfillSample[] = []
  const reading = startReading(
    { bytes, at: 0, linesBefore },
    { isOpenMetrics: true, isBackfill: true, cache, samples, grammar, isEnded },
  )
  try {
    runSync(readingLines(reading))
  } catch (error) {
    samples.length = reading.count
    yield samples
    throw error
  }
  cache.keep(reading.order, [], [])
  reader.grammar = reading.grammar
  reader.isEnded = reading.isEnded
  reader.linesBefore += lineBreaks(bytes)
  yield samples
}
