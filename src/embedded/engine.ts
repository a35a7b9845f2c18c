import { createFairQueue } from '../concurrency/fair-queue.ts'
import { singleStep, runCooperatively } from '../concurrency/cooperative.ts'
import type { CpuBudget, QueryLimits } from './query-limits.ts'
import type { JobRunner } from './jobs/job-runner.ts'
import type { FromQuery, PointBatch, QueryEnd, QueryJob, ToQuery } from './jobs/messages.ts'
import { endOf, pointBatches } from './jobs/point-batches.ts'
import type { SampleStore } from './store/sample-store.ts'
import { stopwatch } from '../clock.ts'
import { AppError, type ErrorKind } from '../errors.ts'
import { literalsOf } from '../promql/regex.ts'
import { evaluateInstant, evaluateRange, type Result } from './promql/query.ts'
import type { Labels } from '../promql/labels.ts'
import type { SampleReader, Series } from './promql/reader.ts'
import { serveSelect } from './jobs/find.ts'

/** Times in milliseconds; both ends are included. */
type Range = { startMs: number; endMs: number; stepMs: number }

/** `answeredSeries`: maximum series of the answer; the others are left out without an annotation. */
type QueryOptions = {
  timeoutMs?: number
  scheduled?: boolean
  lookbackMs?: number
  maxPoints?: number
  answeredSeries?: number
  signal?: AbortSignal
}

/** Result of a query. `points`: of a vector or matrix, in the order of the result. */
export type QueryAnswer = QueryEnd & { points: PointBatch[] }

/**
 * Evaluates PromQL over the samples of one organization. Throws `invalid` (query text), `source_refused` (the data does not allow
 * it), `too_large` and `too_slow` (limits of one query), `rate_limited` (CPU budget; not if `scheduled`) and `unavailable` (no
 * worker, or the signal is aborted).
 */
export type Engine = {
  instant(organizationId: number, query: string, timeMs: number, options?: QueryOptions): Promise<QueryAnswer>
  range(organizationId: number, query: string, range: Range, options?: QueryOptions): Promise<QueryAnswer>
}

type Options = {
  store: Pick<SampleStore, 'find' | 'path' | 'reportDamaged' | 'selectSmall'>
  runJob: JobRunner
  budget: CpuBudget
  timeoutMs: number
  limits: QueryLimits
}

export function createEngine({ store, runJob, budget, timeoutMs, limits }: Options): Engine {
  const largeQueries = createFairQueue<number>({ max: 1, maxOfGroup: 1 })
  const tooLarge = rememberTooLarge()

  function answerInline(organizationId: number, query: string, at: QueryJob['at'], options: QueryOptions) {
    const { scheduled = false, lookbackMs = null } = options
    if (!scheduled) budget.assertLeft(organizationId)
    const key = `${organizationId} ${'timeMs' in at ? '' : (at.endMs - at.startMs) / at.stepMs} ${query}`
    if (query.length > maxQueryCharacters || tooLarge.has(key)) return undefined
    const end = scheduled ? () => {} : budget.begin(organizationId)
    try {
      const onTooLarge = (kind: ErrorKind) => tooLarge.add(key, kind === 'too_large' ? maxAttempts : 1)
      const result = evaluateInline(store, { organizationId, query, at, lookbackMs }, onTooLarge)
      return result && { ...endOf(result), points: [...pointBatches(result, options.answeredSeries)] }
    } finally {
      end()
    }
  }

  async function answer(
    organizationId: number,
    query: string,
    at: QueryJob['at'],
    options: QueryOptions,
  ): Promise<QueryAnswer> {
    const inlineAnswer = await runCooperatively(
      options.scheduled ? `scheduled queries of ${organizationId}` : organizationId, // nobody waits behind an evaluation of all SLOs
      singleStep(() => answerInline(organizationId, query, at, options)),
    )
    return inlineAnswer ?? evaluateInWorker(organizationId, query, at, options)
  }

  function evaluateInWorker(
    organizationId: number,
    query: string,
    at: QueryJob['at'],
    options: QueryOptions,
  ): Promise<QueryAnswer> {
    const ended = Promise.withResolvers<void>()
    const answered = runJob<ToQuery, FromQuery, QueryAnswer>(
      'query',
      async (messages, leftMs) => {
        const points: PointBatch[] = []
        messages.post({
          file: store.path,
          query,
          at,
          lookbackMs: options.lookbackMs ?? null,
          leftMs,
          maxSeries: limits.series,
          maxPoints: Math.min(limits.points, options.maxPoints ?? Infinity),
          answeredSeries: options.answeredSeries ?? Infinity,
          maxSamples: [limits.ordinarySamples, limits.largeSamples],
        })
        for (;;) {
          const message = await messages.next()
          if ('matchers' in message) await serveSelect(messages, store, organizationId, message)
          else if ('points' in message) points.push(message.points)
          else if ('damaged' in message) store.reportDamaged(message.damaged)
          else if ('end' in message) return { ...message.end, points }
          else if ('large' in message) {
            const leave = await largeQueries.enter(organizationId)
            void ended.promise.then(leave)
            messages.post({ granted: true })
          }
        }
      },
      { timeoutMs, ...options, organizationId },
    )
    return answered.finally(ended.resolve)
  }

  return {
    instant: (organizationId, query, timeMs, options = {}) => answer(organizationId, query, { timeMs }, options),
    range: (organizationId, query, range, options = {}) => answer(organizationId, query, range, options),
  }
}

const [recentMs, maxRecent] = [10_000, 1000]
const maxAttempts = 3 // one slow attempt may only mean that the evaluating code was not compiled yet

/** Remembers for up to ten seconds which queries were too large for this thread: these go straight to a worker. */
function rememberTooLarge() {
  let attempts = new Map<string, number>()
  let untilMs = 0
  return {
    has: (key: string) => (attempts.get(key) ?? 0) >= maxAttempts && stopwatch.now() < untilMs,
    add(key: string, more: number) {
      if (stopwatch.now() >= untilMs || attempts.size >= maxRecent) {
        attempts = new Map()
        untilMs = stopwatch.now() + recentMs
      }
      attempts.set(key, (attempts.get(key) ?? 0) + more)
    },
  }
}

type InlineQuery = Pick<QueryJob, 'query' | 'at' | 'lookbackMs'> & { organizationId: number }

const maxQueryCharacters = 500
const maxInlineMs = 5
const inlineLimits = { series: 100, samples: 100_000, points: 20_000, patternSteps: 50_000, chunks: 1000 }
const longRangeMs = 25 * 60 * 60 * 1000
const longRangeLimits = { ...inlineLimits, samples: 1000, chunks: 20 } // for series that were not read before

/**
 * Evaluates a query of few samples on this thread, which is quicker than a worker. Undefined: it may take more than a few
 * milliseconds and needs a worker; if it was tried, `onTooLarge` is called with the reason. Throws the other errors of the
 * evaluation.
 */
export function evaluateInline(
  store: Pick<SampleStore, 'selectSmall'>,
  { organizationId, query, at, lookbackMs }: InlineQuery,
  onTooLarge: (kind: ErrorKind) => void = () => {},
): Result | undefined {
  if (query.length > maxQueryCharacters || hasLargePattern(query)) return undefined
  const endMs = stopwatch.now() + maxInlineMs
  const usedBefore = process.cpuUsage()
  const usedMs = () => {
    const { user, system } = process.cpuUsage(usedBefore)
    return (user + system) / 1000
  }
  const limits = {
    maxSamples: inlineLimits.samples * 2,
    maxSeries: inlineLimits.series * 4,
    maxPoints: inlineLimits.points,
    expired: () => stopwatch.now() > endMs && usedMs() > maxInlineMs, // wall time alone may have gone to other processes
  }
  const seriesByRange = new Map<string, Map<Labels, Series>>() // the good and the total query of an SLO share series
  const reader: SampleReader = {
    select(matchers, fromMs, toMs) {
      const known = seriesByRange.getOrInsertComputed(`${fromMs} ${toMs}`, () => new Map())
      const max = toMs - fromMs > longRangeMs ? longRangeLimits : inlineLimits
      const found = store.selectSmall(organizationId, matchers, fromMs, toMs, max, known)
      if (!found) throw new AppError('too_large', 'Query is too large to be evaluated at once')
      return found
    },
  }
  const options = { limits, ...(lookbackMs !== null && { lookbackMs }) }
  try {
    if ('timeMs' in at) return evaluateInstant(reader, query, at.timeMs, options)
    return evaluateRange(reader, query, at, options)
  } catch (error) {
    const isTooMuch = error instanceof AppError && (error.kind === 'too_large' || error.kind === 'too_slow')
    if (!isTooMuch) throw error
    return void onTooLarge(error.kind)
  }
}

const patterns = /~\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/g
const maxPatternCharacters = 128

/** True if regexes may take milliseconds to compile: long ones, and ones with repeats or Unicode classes. Errs towards true. */
function hasLargePattern(query: string): boolean {
  let [rest, characters] = [query, 0]
  for (const [all, quoted = ''] of query.matchAll(patterns)) {
    rest = rest.replace(all, '')
    if (literalsOf(quoted.slice(1, -1))) continue
    characters += quoted.length
    if (/\{\d|\\p/i.test(quoted)) return true
  }
  return characters > maxPatternCharacters || rest.includes('~')
}
