import { stopwatch } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { QueryQuestion } from './jobs/messages.ts'
import { evaluateInstant, evaluateRange, type Result } from './promql/query.ts'
import type { SampleReader } from './promql/reader.ts'
import type { SampleStore } from './store/sample-store.ts'

type Question = Pick<QueryQuestion, 'query' | 'at' | 'lookbackMs'> & { organizationId: number }

const maxQuery = 500
const maxRangeMs = 25 * 60 * 60 * 1000
const maxMs = 5
const few = { series: 100, samples: 50_000, points: 20_000 }

/**
 * Evaluates a query of few samples at once, which is quicker than asking a worker. Undefined: it may take more than a few
 * milliseconds, so that a worker has to. Throws as the evaluation does.
 */
export function evaluateHere(
  store: Pick<SampleStore, 'selectFew'>,
  { organizationId, query, at, lookbackMs }: Question,
): Result | undefined {
  if (query.length > maxQuery || query.includes('~')) return undefined // a pattern takes its time
  const endMs = stopwatch.now() + maxMs
  const limits = {
    maxSamples: few.samples,
    maxSeries: few.series,
    maxPoints: few.points,
    expired: () => stopwatch.now() > endMs,
  }
  const reader: SampleReader = {
    select(matchers, fromMs, toMs) {
      const found =
        toMs - fromMs > maxRangeMs ? undefined : store.selectFew(organizationId, matchers, fromMs, toMs, few)
      if (!found) throw new AppError('too_large', 'Query is too large to be evaluated at once')
      return found
    },
  }
  const options = { limits, ...(lookbackMs !== null && { lookbackMs }) }
  try {
    if ('timeMs' in at) return evaluateInstant(reader, query, at.timeMs, options)
    return evaluateRange(reader, query, at, options)
  } catch (error) {
    if (error instanceof AppError && (error.kind === 'too_large' || error.kind === 'too_slow')) return undefined
    throw error
  }
}
