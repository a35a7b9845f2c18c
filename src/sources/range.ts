import { inTurns, type Steps } from '../concurrency/steps.ts'
import { AppError } from '../errors.ts'
import type { Answer, AskOptions, Labels, Point, RangeSeries, RangeWindow, Source } from './source.ts'

/** Prometheus refuses more than 11,000 points per series in one answer. */
const maxPoints = 10_000

/** Some 40 series over 90 days in steps of five minutes. */
const maxSamples = 1_000_000

/** Two pieces in flight use both cores of a small source and leave the rest of its slots to others. */
const piecesAtOnce = 2

/**
 * Asks for a range of any length in pieces of at most 10,000 points and joins the series by their labels. All of them
 * share the time of one question. Throws what the source throws; a window that ends before it starts has no points, no series.
 */
export async function askRange(
  source: Source,
  expression: string,
  window: RangeWindow,
  options: AskOptions = {},
): Promise<Answer<RangeSeries[]>> {
  const answers: Answer<RangeSeries[]>[] = []
  const pieces = piecesOf(window)
  const began = performance.now()
  let durationMs = 0
  for (let next = 0; next < pieces.length; next += piecesAtOnce) {
    const elapsedMs = (options.elapsedMs ?? 0) + performance.now() - began
    const batch = pieces
      .slice(next, next + piecesAtOnce)
      .map((piece) => source.range(expression, piece, { ...options, elapsedMs }))
    const done = await Promise.all(batch)
    durationMs += Math.max(...done.map((answer) => answer.durationMs))
    answers.push(...done)
    assertRoom(answers)
  }
  return {
    data: answers.length === 1 ? answers.flatMap(({ data }) => data) : await inTurns('measurements', joining(answers)),
    warnings: unique(answers.flatMap((answer) => answer.warnings)),
    infos: unique(answers.flatMap((answer) => answer.infos)),
    partial: answers.some((answer) => answer.partial),
    durationMs,
  }
}

/**
 * Pieces of equal length that together ask for every point of the window once. Equal, because VictoriaMetrics moves
 * the points of an answer of 50 and more back to multiples of the step: a short last piece would not move along.
 */
function piecesOf({ startSeconds, endSeconds, stepSeconds }: RangeWindow): RangeWindow[] {
  const startMs = Math.round(startSeconds * 1000)
  const stepMs = Math.round(stepSeconds * 1000)
  const points = Math.floor((Math.round(endSeconds * 1000) - startMs) / stepMs) + 1
  if (!(stepMs > 0) || !Number.isFinite(points)) throw new RangeError('a range needs finite ends and a positive step')
  const pieces = Math.ceil(points / maxPoints)
  const atPoint = (index: number) => (startMs + index * stepMs) / 1000
  return Array.from({ length: Math.max(0, pieces) }, (_, piece) => ({
    startSeconds: atPoint(Math.floor((piece * points) / pieces)),
    endSeconds: atPoint(Math.floor(((piece + 1) * points) / pieces) - 1),
    stepSeconds: stepMs / 1000,
  }))
}

function assertRoom(answers: Answer<RangeSeries[]>[]): void {
  const samples = answers.reduce((sum, { data }) => sum + data.reduce((all, { values }) => all + values.length, 0), 0)
  if (samples <= maxSamples) return
  throw new AppError('source_unavailable', 'metrics source gave no usable answer', {
    details: `answered with more than ${maxSamples.toLocaleString('en')} samples in all`,
  })
}

function* joining(answers: Answer<RangeSeries[]>[]): Steps<RangeSeries[]> {
  const joined = new Map<string, RangeSeries>()
  for (const part of answers.flatMap(({ data }) => data)) {
    const key = labelKey(part.metric)
    const before = joined.get(key)
    joined.set(key, before ? continued(before, part) : part)
    yield
  }
  return [...joined.values()]
}

function continued(before: RangeSeries, { values, histograms }: RangeSeries): RangeSeries {
  const last = before.values.at(-1)?.[0] ?? -Infinity
  const later = (point: Point) => point[0] > last
  const series = { metric: before.metric, values: before.values.concat(values.filter(later)) }
  const all = [...(before.histograms ?? []), ...(histograms ?? [])]
  return all.length > 0 ? { ...series, histograms: all } : series
}

function labelKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function unique(remarks: string[]): string[] {
  return [...new Set(remarks)]
}
