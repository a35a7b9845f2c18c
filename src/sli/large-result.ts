import { AppError } from '../errors.ts'
import { createStreams } from '../http/bodies/streams.ts'
import type { QueryResult } from './model.ts'

type Result = QueryResult['query_result']['result']

const [maxSamples, maxSeries] = [20_000, 5000]

/** True for a result that would take too long to validate, cache and write: it is not cached, and is written in pieces. */
export function isLargeResult(result: Result): boolean {
  if (result.length > maxSeries) return true
  return result.reduce((sum, { values, histograms }) => sum + lengthOf(values) + lengthOf(histograms), 0) > maxSamples
}

/** Maximum of large results at once. Each takes about 60 MB until it is read, and its reader may be slow. */
const limits = { max: 4, maxPerOrganization: 2 }

/** Streams large results as they are read; throws `rate_limited` if too many are under way and none has a slow reader. */
export type LargeResults = (organizationId: number, answer: QueryResult) => Response

export function createLargeResults(timeoutMs: number): LargeResults {
  const streams = createStreams(limits)
  return (organizationId, answer) => {
    streams.endSlowest(organizationId)
    if (!streams.hasRoom(organizationId)) {
      throw new AppError('rate_limited', 'Too many large answers at once', {
        details: 'wait until others have been read, or ask for less: fewer series, a larger step, a shorter time_range',
      })
    }
    return streams.open(organizationId, piecesOf(answer), { timeoutMs })
  }
}

const valuesPerPiece = 1000

function* piecesOf({ query_result: { result_type, result }, ...rest }: QueryResult): Generator<string> {
  yield `{"query_result":{"result_type":${JSON.stringify(result_type)},"result":[`
  for (const [index, { values, histograms, ...series }] of result.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(series).slice(0, -1)}`
    if (values) yield* listPieces('values', values)
    if (histograms) yield* listPieces('histograms', histograms)
    yield '}'
  }
  yield `]},${JSON.stringify(rest).slice(1)}`
}

/** JSON of a list, after other fields: each series has a `metric`. */
function* listPieces(name: string, list: readonly unknown[]): Generator<string> {
  yield `,"${name}":[`
  for (let from = 0; from < list.length; from += valuesPerPiece) {
    yield `${from === 0 ? '' : ','}${JSON.stringify(list.slice(from, from + valuesPerPiece)).slice(1, -1)}`
  }
  yield ']'
}

function lengthOf(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0
}
