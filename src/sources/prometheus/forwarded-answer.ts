import type { JobMessages } from '../../concurrency/job-messages.ts'
import type { JobOptions, WorkerPool } from '../../concurrency/worker-pool.ts'
import { truncated } from '../../embedded/api/parameters.ts'
import type { CpuBudget } from '../../embedded/query-limits.ts'
import type { SourceApiRequest, InstantData } from '../source.ts'
import {
  InvalidAnswer,
  readInstant,
  readMetadata,
  readRange,
  readSeries,
  readLabelTexts,
  type ParsedAnswer,
} from './answer.ts'
import { readExclusively } from './large-answer.ts'

/** JSON of an answer's `data`: the text around its items, and how each item is written. */
type Data = { open: string; items: readonly unknown[]; close: string; write?: (item: unknown) => string }

/** Text of an answer, and the API request that it answers. */
type Forwarded = { text: string; request: Pick<SourceApiRequest, 'path' | 'limit'> }

/**
 * Message from the worker. `problem`: reason why the text is no valid answer. `piece`: part of the JSON. `annotations`: warnings and
 * infos, after the last piece.
 */
type WorkerReply = { problem: string } | { piece: string } | { annotations: Omit<ParsedAnswer<unknown>, 'data'> }

/** Name of the worker job that `answerPieces` runs. */
export const readPiecesJob = 'read-pieces'

/** Runs in a worker: validates an answer and writes its `data` again. */
export async function answerPieces({ post, next }: JobMessages<WorkerReply, Forwarded>): Promise<void> {
  const { text, request } = await next()
  try {
    const { data, ...annotations } = readPieces(text, request)
    for (const piece of data) post({ piece })
    post({ annotations })
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error
    post({ problem: error.message })
  }
}

type Reader = { job: JobOptions; budget: CpuBudget; organizationId: number }

/** Like `readPieces` for a large text, in a worker. Its time counts against the CPU budget of the organization. */
export function readLargePieces(
  workers: WorkerPool,
  forwarded: Forwarded,
  { job, budget, organizationId }: Reader,
): Promise<ParsedAnswer<string[]>> {
  const conversation = async ({ post, next }: JobMessages<Forwarded, WorkerReply>) => {
    const end = budget.begin(organizationId)
    try {
      const data: string[] = []
      post(forwarded)
      for (;;) {
        const reply = await next()
        if ('problem' in reply) throw new InvalidAnswer(reply.problem)
        if ('annotations' in reply) return { ...reply.annotations, data }
        data.push(reply.piece)
      }
    } finally {
      end()
    }
  }
  const options = { ...job, admit: () => budget.assertLeft(organizationId) }
  return readExclusively(forwarded.text, job, () => workers.run(readPiecesJob, conversation, options))
}

/**
 * Converts the `data` of an answer to JSON in pieces, with only the fields that the API defines. Throws `InvalidAnswer` if the
 * text is no answer to this path, or is larger than nines reads.
 */
export function readPieces(text: string, { path, limit }: Forwarded['request']): ParsedAnswer<string[]> {
  const { data, ...annotations } = readData(text, path)
  const items = data.items.length > limit ? data.items.slice(0, limit) : data.items
  const isCut = items.length < data.items.length && !annotations.warnings.includes(truncated)
  return {
    ...annotations,
    warnings: isCut ? [...annotations.warnings, truncated] : annotations.warnings,
    data: [...serialize({ ...data, items })],
  }
}

function readData(text: string, path: SourceApiRequest['path']): ParsedAnswer<Data> {
  switch (path) {
    case 'query': {
      const { data, ...annotations } = readInstant(text)
      return { ...annotations, data: resultOf(data) }
    }
    case 'query_range': {
      const { data: result, ...annotations } = readRange(text)
      return { ...annotations, data: resultOf({ resultType: 'matrix', result }) }
    }
    case 'metadata': {
      const { data: metrics, ...annotations } = readMetadata(text)
      const items = metrics.map(([metric, metadata]) => `${JSON.stringify(metric)}:${JSON.stringify(metadata)}`)
      return { ...annotations, data: { open: '{', items, close: '}', write: String } }
    }
    default: {
      const { data: items, ...annotations } = path === 'series' ? readSeries(text) : readLabelTexts(text)
      return { ...annotations, data: { open: '[', items, close: ']' } }
    }
  }
}

function resultOf(data: InstantData): Data {
  if (data.resultType === 'scalar' || data.resultType === 'string') {
    return { open: JSON.stringify(data), items: [], close: '' }
  }
  return { open: `{"resultType":"${data.resultType}","result":[`, items: data.result, close: ']}' }
}

const minPieceLength = 128 * 1024

function* serialize({ open, items, close, write = JSON.stringify }: Data): Generator<string> {
  let text = open
  for (const [index, item] of items.entries()) {
    text += `${index === 0 ? '' : ','}${write(item)}`
    if (text.length < minPieceLength) continue
    yield text
    text = ''
  }
  yield text + close
}
