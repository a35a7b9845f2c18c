import { type Clock, stopwatch } from '../../clock.ts'
import { badData, badParameter } from '../../embedded/api/bad-data.ts'
import { metricLimitOf, type PrometheusApi } from '../../embedded/api/embedded-api.ts'
import { escapeName, needLabelName } from '../../embedded/api/listings.ts'
import { durationOf, limitOf, type Parameters, type ApiRequest, textOf, timeOf } from '../../embedded/api/parameters.ts'
import { instantOf, timeoutOf, rangeOf } from '../../embedded/api/queries.ts'
import { assertSelected, assertSelector, selectorsOf } from '../../embedded/api/selectors.ts'
import { tooSlow } from '../../embedded/promql/budget.ts'
import type { CpuBudget } from '../../embedded/query-limits.ts'
import { AppError } from '../../errors.ts'
import { SourceRefusal } from '../prometheus/errors.ts'
import type { SourceApiRequest, Source } from '../source.ts'

/** `open` throws if the source must not or cannot be queried. */
type Deps = { open(): Source; clock: Clock; budget: CpuBudget; sourceTimeoutMs: number }

/**
 * Forwards API requests to an external source: only the known parameters, each validated first. An answer is pieces of JSON text: the
 * value of `data`, then the fields that follow it.
 */
export function externalApi({ open, clock, budget, sourceTimeoutMs }: Deps): PrometheusApi {
  async function forward(
    { request: { signal }, receivedAtMs }: ApiRequest,
    request: SourceApiRequest,
    timeoutMs = sourceTimeoutMs,
  ): Promise<string[]> {
    const source = open()
    if (!source.forward) throw new AppError('source_refused', 'metrics source has no such API')
    try {
      const { data, warnings, infos, isPartial } = await source.forward(request, {
        timeoutMs,
        elapsedMs: stopwatch.now() - receivedAtMs,
        signal,
        budget,
      })
      const allWarnings = isPartial && warnings.length === 0 ? [partialWarning] : warnings
      return [...data, ...annotationFields('warnings', allWarnings), ...annotationFields('infos', infos)]
    } catch (error) {
      if (!(error instanceof AppError && error.cause instanceof SourceRefusal)) throw error
      throw error.cause.status === 400 ? badData(error.details ?? error.message, error) : error
    }
  }

  function query(
    apiRequest: ApiRequest,
    path: 'query' | 'query_range',
    timesMs: Record<string, number>,
  ): Promise<string[]> {
    const { parameters } = apiRequest
    const expression = parameters.get('query') ?? ''
    if (expression.trim() === '') throw badParameter('query', 'no expression found in input')
    if (expression.length > maxQueryLength) throw badParameter('query', `must be at most ${maxQueryLength} characters`)
    const lookbackMs = durationOf(parameters, 'lookback_delta') ?? 0
    const limit = limitOf(parameters) || Infinity
    const timeoutMs = timeoutOf(parameters, sourceTimeoutMs)
    if (timeoutMs <= 0) throw tooSlow()
    const allTimesMs = { ...timesMs, ...(lookbackMs > 0 && { lookback_delta: lookbackMs }) }
    const fields = Object.entries(allTimesMs).map(([name, ms]): [string, string] => [name, secondsOf(ms)])
    return forward(apiRequest, { path, parameters: [['query', expression], ...fields], limit }, timeoutMs)
  }

  function list(apiRequest: ApiRequest, path: SourceApiRequest['path']): Promise<string[]> {
    const { parameters } = apiRequest
    const times = ['start', 'end'].flatMap((name): [string, string][] => {
      const timeMs = timeOf(parameters, name)
      return timeMs === undefined ? [] : [[name, secondsOf(timeMs)]]
    })
    const selectors = readSelectors(parameters).map((text): [string, string] => ['match[]', text])
    const limit = limitOf(parameters)
    const bounded: [string, string][] = limit > 0 ? [['limit', String(limit)]] : []
    return forward(apiRequest, { path, parameters: [...selectors, ...times, ...bounded], limit: limit || Infinity })
  }

  return {
    query: async (apiRequest) => query(apiRequest, 'query', { time: instantOf(apiRequest.parameters, clock) }),
    async queryRange(apiRequest) {
      const { startMs, endMs, stepMs } = rangeOf(apiRequest.parameters)
      return query(apiRequest, 'query_range', { start: startMs, end: endMs, step: stepMs })
    },
    async series(apiRequest) {
      assertSelected(apiRequest.parameters)
      return list(apiRequest, 'series')
    },
    labels: async (apiRequest) => list(apiRequest, 'labels'),
    labelValues: async (apiRequest, escapedName) => list(apiRequest, `label/${segmentOf(escapedName)}/values`),
    async metadata(apiRequest) {
      const limit = metricLimitOf(apiRequest.parameters)
      const metric = textOf(apiRequest.parameters, 'metric')
      const parameters: [string, string][] = [
        ...(metric === undefined ? [] : [['metric', metric] satisfies [string, string]]),
        ...(limit < 0 ? [] : [['limit', String(limit)] satisfies [string, string]]),
      ]
      return forward(apiRequest, { path: 'metadata', parameters, limit: limit < 0 ? Infinity : limit })
    },
  }
}

/** Maximum length of a query in characters, the same as for queries that nines parses itself. */
const maxQueryLength = 16_384

const partialWarning = 'the source answered with a part of its data only'

/** Reads the texts of `match[]`; throws if one is no series selector, or if together they are longer than a query may be. */
function readSelectors(parameters: Parameters): string[] {
  const selectors = selectorsOf(parameters)
  const characters = selectors.reduce((sum, { length }) => sum + length, 0)
  if (characters > maxQueryLength) throw badParameter('match[]', `must be at most ${maxQueryLength} characters in all`)
  for (const selector of selectors) assertSelector(selector)
  return selectors
}

/**
 * Label name as a path segment. Dots alone, or an escaped slash, backslash or percent sign, would change the path if anything
 * on the way decodes or normalizes it, so such a name is escaped as Prometheus 3 escapes names.
 */
function segmentOf(escapedName: string | null): string {
  const name = needLabelName(escapedName)
  return /^\.{1,2}$|[/\\%]/.test(name) ? escapeName(name) : encodeURIComponent(escapedName ?? '')
}

const secondsOf = (ms: number) => String(ms / 1000)

function annotationFields(name: 'warnings' | 'infos', texts: string[]): string[] {
  return texts.length > 0 ? [`,"${name}":${JSON.stringify(texts)}`] : []
}
