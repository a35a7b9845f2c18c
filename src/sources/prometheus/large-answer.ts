import type { JobMessages } from '../../concurrency/job-messages.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { JobOptions, WorkerPool } from '../../concurrency/worker-pool.ts'
import type { InstantData, RangeSeries, VectorSample } from '../source.ts'
import { InvalidAnswer, readInstant, readRange, type ParsedAnswer } from './answer.ts'

/** Message to the worker: first the text of an answer, then `more` for each piece of the result. */
type ToReader = { kind: 'instant' | 'range'; text: string } | 'more'

/**
 * Message from the worker. `problem`: reason why the text is invalid. `head`: the answer without its series. `piece`: some series
 * as JSON; null after the last.
 */
type FromReader = { problem: string } | { head: ParsedAnswer<InstantData> } | { piece: string | null }

type ListedSeries = VectorSample | RangeSeries

/** Part of a series; `isMore`: it continues the series of the part before. */
type Part = [isMore: boolean, part: ListedSeries]

/** Name of the worker job that `readAnswer` runs. */
export const readAnswerJob = 'read-answer'

const samplesPerPart = 5000
const histogramsPerPart = 50
const minPieceLength = 128 * 1024
const maxPartLength = 1024 * 1024

/** Runs in a worker: parses and validates an answer, and sends it in pieces. */
export async function readAnswer({ post, next }: JobMessages<FromReader, ToReader>): Promise<void> {
  let request = await next()
  if (request === 'more') throw new Error('an answer comes first')
  try {
    const parsed = request.kind === 'instant' ? readInstant(request.text) : matrixOf(readRange(request.text))
    request = 'more' // releases the text
    const { data } = parsed
    const list = data.resultType === 'vector' || data.resultType === 'matrix' ? data.result : []
    post({ head: { ...parsed, data: withoutList(data) } })
    for (const piece of piecesOf(list)) {
      await next()
      post({ piece })
    }
    await next()
    post({ piece: null })
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error
    post({ problem: error.message })
  }
}

/** Bytes of memory per character of an answer while it is read, here and in the worker. */
const bytesPerCharacter = 12

/** Queue of large answers, read one at a time and fairly between organizations: each takes about 200 MB for a while. */
const readQueue = createFairQueue<JobOptions['group']>({ max: 1, maxOfGroup: 1 })

/**
 * Like `readInstant` for a large text, in a worker. The worker sends pieces of JSON, which are parsed again here, each within a
 * millisecond or two, and cooperatively. Sending objects instead would take ten times as long, because they are cloned.
 */
export function readLargeInstant(
  workers: WorkerPool,
  text: string,
  job: JobOptions,
): Promise<ParsedAnswer<InstantData>> {
  return readLarge(workers, { kind: 'instant', text }, job)
}

/** Like `readRange` for a large text, in a worker. */
export async function readLargeRange(
  workers: WorkerPool,
  text: string,
  job: JobOptions,
): Promise<ParsedAnswer<RangeSeries[]>> {
  const { data, ...annotations } = await readLarge(workers, { kind: 'range', text }, job)
  return { ...annotations, data: data.resultType === 'matrix' ? data.result : [] }
}

type LargeText = Exclude<ToReader, 'more'>

function readLarge(workers: WorkerPool, large: LargeText, job: JobOptions): Promise<ParsedAnswer<InstantData>> {
  return readExclusively(large.text, job, () => readByWorker(workers, large, job))
}

/** Reads a large text when no other is being read; throws `InvalidAnswer` if there is not enough memory for it. */
export function readExclusively<T>(text: string, job: JobOptions, read: () => Promise<T>): Promise<T> {
  return readQueue.run(
    job.group,
    async () => {
      if (await hasRoomFor(text.length * bytesPerCharacter)) return read()
      throw new InvalidAnswer('answered with more than nines has memory for at the moment')
    },
    job.signal,
  )
}

async function readByWorker(
  workers: WorkerPool,
  large: LargeText,
  job: JobOptions,
): Promise<ParsedAnswer<InstantData>> {
  return workers.run<ToReader, FromReader, ParsedAnswer<InstantData>>(
    readAnswerJob,
    async ({ post, next }) => {
      post(large)
      const first = await next()
      if ('problem' in first) throw new InvalidAnswer(first.problem)
      if (!('head' in first)) throw new Error('the head of an answer comes first')
      const { head } = first
      for (;;) {
        post('more')
        const reply = await next()
        if ('problem' in reply) throw new InvalidAnswer(reply.problem)
        if (!('piece' in reply) || reply.piece === null) return head
        await runCooperatively(job.group, appendPiece(head.data, reply.piece), job.signal)
      }
    },
    job,
  )
}

function matrixOf({ data, ...annotations }: ParsedAnswer<RangeSeries[]>): ParsedAnswer<InstantData> {
  return { ...annotations, data: { resultType: 'matrix', result: data } }
}

function withoutList(data: InstantData): InstantData {
  if (data.resultType === 'scalar' || data.resultType === 'string') return data
  return { resultType: data.resultType, result: [] }
}

function* piecesOf(list: readonly ListedSeries[]): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const part of partsOf(list)) {
    const text = JSON.stringify(part)
    if (text.length > maxPartLength)
      throw new InvalidAnswer('answered with a series of which a part is larger than 1 MB')
    texts.push(text)
    length += text.length
    if (length < minPieceLength) continue
    yield `[${texts.join(',')}]`
    texts = []
    length = 0
  }
  yield `[${texts.join(',')}]`
}

function* partsOf(list: readonly ListedSeries[]): Generator<Part> {
  for (const one of list) {
    if (!('values' in one)) {
      yield [false, one]
      continue
    }
    const { metric, values, histograms } = one
    const count = Math.max(1, values.length / samplesPerPart, (histograms?.length ?? 0) / histogramsPerPart)
    for (let at = 0; at < count; at += 1) {
      const part: RangeSeries = {
        metric: at === 0 ? metric : {},
        values: values.slice(at * samplesPerPart, (at + 1) * samplesPerPart),
      }
      if (histograms) part.histograms = histograms.slice(at * histogramsPerPart, (at + 1) * histogramsPerPart)
      yield [at > 0, part]
    }
  }
}

function* appendPiece(data: InstantData, piece: string): CooperativeTask<void> {
  if (data.resultType !== 'vector' && data.resultType !== 'matrix') return
  const list: ListedSeries[] = data.result
  for (const [isMore, part] of JSON.parse(piece) as Part[]) {
    const last = list.at(-1)
    if (!isMore || !last || !('values' in last) || !('values' in part)) {
      list.push(part)
      continue
    }
    for (const value of part.values) last.values.push(value)
    for (const histogram of part.histograms ?? []) last.histograms?.push(histogram)
    yield
  }
}
