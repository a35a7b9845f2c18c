import { AppError } from '../errors.ts'
import { streamJson } from '../http/bodies/json-stream.ts'
import type { QueryResult } from './model.ts'

type Result = QueryResult['query_result']['result']

const [samplesAtOnce, seriesAtOnce] = [20_000, 5000]

/** Checking, keeping and writing it would take longer than others should wait: it is neither kept nor written at once. */
export function isLargeResult(result: Result): boolean {
  if (result.length > seriesAtOnce) return true
  return (
    result.reduce((sum, { values, histograms }) => sum + lengthOf(values) + lengthOf(histograms), 0) > samplesAtOnce
  )
}

/** Each holds some 60 MB until it is read, and its reader may be slow. */
const [readAtOnce, readOfOrganization] = [4, 2]

/** Writes large results as they are read, a few at once: throws `rate_limited` beyond. */
export type LargeResults = (organizationId: number, answer: QueryResult) => Response

export function createLargeResults(timeoutMs: number): LargeResults {
  const being = new Map<number, number>()
  let all = 0
  return (organizationId, answer) => {
    const own = being.get(organizationId) ?? 0
    if (all >= readAtOnce || own >= readOfOrganization) {
      throw new AppError('rate_limited', 'Too many large answers at once', {
        details: 'wait until others have been read, or ask for less: fewer series, a larger step, a shorter time_range',
      })
    }
    all += 1
    being.set(organizationId, own + 1)
    return streamJson(piecesOf(answer), timeoutMs, () => {
      all -= 1
      const left = (being.get(organizationId) ?? 1) - 1
      if (left === 0) being.delete(organizationId)
      else being.set(organizationId, left)
    })
  }
}

const valuesOfPiece = 1000

function* piecesOf({ query_result: { result_type, result }, ...rest }: QueryResult): Generator<string> {
  yield `{"query_result":{"result_type":${JSON.stringify(result_type)},"result":[`
  for (const [place, { values, histograms, ...series }] of result.entries()) {
    yield `${place === 0 ? '' : ','}${JSON.stringify(series).slice(0, -1)}`
    if (values) yield* listPieces('values', values)
    if (histograms) yield* listPieces('histograms', histograms)
    yield '}'
  }
  yield `]},${JSON.stringify(rest).slice(1)}`
}

/** Behind other fields: each series has a `metric`. */
function* listPieces(name: string, list: readonly unknown[]): Generator<string> {
  yield `,"${name}":[`
  for (let from = 0; from < list.length; from += valuesOfPiece) {
    yield `${from === 0 ? '' : ','}${JSON.stringify(list.slice(from, from + valuesOfPiece)).slice(1, -1)}`
  }
  yield ']'
}

function lengthOf(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0
}
