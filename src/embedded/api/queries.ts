import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { QueryAnswer, Engine } from '../engine.ts'
import { badData, badParameter } from './bad-data.ts'
import {
  durationOf,
  limitOf,
  requiredDuration,
  requiredTime,
  type Parameters,
  type ApiRequest,
  timeOf,
} from './parameters.ts'
import { dataPieces, firstOf } from './result.ts'
import { maxGivenCharacters } from '../../promql/read.ts'

/** `sourceTimeoutMs`: maximum duration of a query. */
export type QueryDeps = { engine: Engine; clock: Clock; sourceTimeoutMs: number }

/** `/query`: the `data` of the answer, followed by its warnings and infos. */
export async function queryInstant(deps: QueryDeps, request: ApiRequest): Promise<Iterable<string>> {
  const { organizationId, parameters } = request
  const timeMs = instantOf(parameters, deps.clock)
  return runQuery(deps, request, (query, options) => deps.engine.instant(organizationId, query, timeMs, options))
}

const maxSteps = 11_000

/** `/query_range`: the `data` of the answer, followed by its warnings and infos. */
export async function queryRange(deps: QueryDeps, request: ApiRequest): Promise<Iterable<string>> {
  const { organizationId, parameters } = request
  const range = rangeOf(parameters)
  return runQuery(deps, request, (query, options) => deps.engine.range(organizationId, query, range, options))
}

/** Evaluation time of an instant query; defaults to now. */
export function instantOf(parameters: Parameters, clock: Clock): number {
  return timeOf(parameters, 'time') ?? clock.now()
}

/** Bounds and step of a range query. Throws if they are invalid, or give more than 11,000 steps. */
export function rangeOf(parameters: Parameters): { startMs: number; endMs: number; stepMs: number } {
  const [startMs, endMs] = [requiredTime(parameters, 'start'), requiredTime(parameters, 'end')]
  if (endMs < startMs) throw badParameter('end', 'end timestamp must not be before start time')
  const stepMs = requiredDuration(parameters, 'step')
  if (stepMs <= 0) {
    const why = 'zero or negative query resolution step widths are not accepted. Try a positive integer'
    throw badParameter('step', why)
  }
  if (Math.floor((endMs - startMs) / stepMs) > maxSteps) {
    const limit = 'exceeded maximum resolution of 11,000 points per timeseries'
    throw badData(`${limit}. Try decreasing the query resolution (?step=XX)`)
  }
  return { startMs, endMs, stepMs }
}

/** Timeout of a query in milliseconds: its own `timeout`, at most `maxMs`. */
export function timeoutOf(parameters: Parameters, maxMs: number): number {
  return Math.min(durationOf(parameters, 'timeout') ?? Infinity, maxMs)
}

type RunInEngine = (
  query: string,
  options: { timeoutMs: number; lookbackMs?: number; answeredSeries?: number; signal: AbortSignal },
) => Promise<QueryAnswer>

async function runQuery(
  { sourceTimeoutMs }: QueryDeps,
  { parameters, request: { signal } }: ApiRequest,
  run: RunInEngine,
): Promise<Iterable<string>> {
  const timeoutMs = timeoutOf(parameters, sourceTimeoutMs)
  const lookbackMs = durationOf(parameters, 'lookback_delta') ?? 0
  const query = parameters.get('query') ?? ''
  if (query.length > maxGivenCharacters)
    throw badParameter('query', `it is longer than ${maxGivenCharacters} characters`)
  const limit = limitOf(parameters)
  try {
    const result = await run(query, {
      timeoutMs,
      signal,
      ...(lookbackMs > 0 && { lookbackMs }),
      ...(limit > 0 && { answeredSeries: limit + 1 }), // one more shows that some were left out
    })
    if (timeoutMs <= 0) throw new AppError('too_slow', 'Query took too long') // with a timeout of 0 even a quick query fails
    return withAnnotations(firstOf(result, limit))
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error
    throw badParameter('query', error.details ?? error.message, error)
  }
}

/** The `data`, followed by warnings and infos. */
function* withAnnotations(answered: QueryAnswer): Generator<string> {
  yield* dataPieces(answered)
  const { warnings = [], infos = [] } = answered.annotations ?? {}
  if (warnings.length > 0) yield `,"warnings":${JSON.stringify(warnings)}`
  if (infos.length > 0) yield `,"infos":${JSON.stringify(infos)}`
}
