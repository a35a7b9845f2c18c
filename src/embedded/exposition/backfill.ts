import { runSync } from '../../concurrency/cooperative.ts'
import { type Cursor, lineBreaks, refused, tooLarge } from './cursor.ts'
import { decodingUtf8 } from './decode.ts'
import { readOpenMetricsLine } from './open-metrics.ts'
import { defaultLimits, type ExpositionLimits, type Sample } from './sample.ts'
import type { Sink } from './text-format.ts'

export type BackfillSample = Sample & { timestampMs: number }

const newline = 10
const maxLineBytes = 1024 * 1024

type Reader = { limits: ExpositionLimits; linesBefore: number; ended: boolean }

/**
 * Reads OpenMetrics text of any size, as `promtool tsdb create-blocks-from openmetrics` does: every sample has a timestamp and
 * `# EOF` is the last line. Throws `invalid` for a bad line, and `too_large` for a line longer than 1 MiB. Samples of earlier
 * lines are yielded before that, one batch per chunk. `linesBefore`: number of lines of the file before `chunks`.
 */
export async function* readBackfill(
  chunks: AsyncIterable<Uint8Array>,
  limits: Partial<Omit<ExpositionLimits, 'samples'>> = {},
  linesBefore = 0,
): AsyncGenerator<BackfillSample[], void, undefined> {
  const reader: Reader = { limits: { ...defaultLimits, ...limits }, linesBefore, ended: false }
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk) // a copy: a stream may use its chunk again
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) {
      yield* readLines(reader, Buffer.concat([...held, bytes.subarray(0, end)]))
      held = []
      heldBytes = 0
    }
    held.push(bytes.subarray(end))
    heldBytes += bytes.length - end
    if (heldBytes > maxLineBytes) {
      throw tooLarge(`at most ${maxLineBytes} bytes in line ${reader.linesBefore + 1}`)
    }
  }
  yield* readLines(reader, Buffer.concat(held))
  if (!reader.ended) throw refused({ text: '', at: 0, linesBefore: reader.linesBefore }, '"# EOF"')
}

/** Reads whole lines in one go. At a bad line, yields the samples before it and then throws. */
function* readLines(reader: Reader, bytes: Buffer): Generator<BackfillSample[], void, undefined> {
  const text = runSync(decodingUtf8(bytes, reader.linesBefore, 'nothing'))
  const cursor: Cursor = { text, at: 0, linesBefore: reader.linesBefore }
  const samples: BackfillSample[] = []
  let lineAt = 0
  const sink: Sink = {
    limits: reader.limits,
    roundsTimes: true, // 2.001 s is 2001 ms, although not exactly so in floating point
    sample({ labels, value, timestampMs }) {
      if (timestampMs === undefined) throw refused(cursor, 'a sample with a timestamp', lineAt)
      samples.push({ labels, value, timestampMs })
    },
    family() {},
  }
  try {
    while (cursor.at < text.length) {
      if (reader.ended) throw refused(cursor, 'nothing after "# EOF"')
      lineAt = cursor.at
      reader.ended = readOpenMetricsLine(cursor, sink)
    }
  } catch (error) {
    yield samples
    throw error
  }
  reader.linesBefore += lineBreaks(text)
  yield samples
}
