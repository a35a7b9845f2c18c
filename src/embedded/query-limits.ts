import { type Clock, stopwatch } from '../clock.ts'
import { AppError } from '../errors.ts'

/** The budget of queries or imports of each organization: seconds of a processor, a minute and at once. */
export type CpuBudget = {
  /** Throws `rate_limited` for an organization that has used all it had. */
  assertLeft(organizationId: number): void
  /** Begins to count; the function that it gives ends it. */
  begin(organizationId: number): () => void
}

type Options = { secondsPerMinute: number; clock: Clock; what?: 'queries' | 'imports' }

export function createCpuBudget({ secondsPerMinute, clock, what = 'queries' }: Options): CpuBudget {
  /** When an organization will have all it may have again; it may be late by a minute and no more. */
  const fullAt = new Map<number, number>()
  const costMs = (ms: number) => (ms * 60) / secondsPerMinute

  function owed(organizationId: number): number {
    const owedMs = (fullAt.get(organizationId) ?? 0) - clock.now()
    if (owedMs <= 0) fullAt.delete(organizationId)
    return Math.max(0, owedMs)
  }

  return {
    assertLeft(organizationId) {
      const lateMs = owed(organizationId) - 60_000
      if (lateMs < 0) return
      throw new AppError('rate_limited', `Too many heavy ${what}`, {
        details: `an organization has QUERY_CPU_SECONDS_PER_MINUTE=${secondsPerMinute} for its ${what}`,
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(lateMs / 1000))) },
      })
    },
    begin(organizationId) {
      const began = stopwatch.now()
      return () => {
        const tookMs = stopwatch.now() - began
        fullAt.set(organizationId, clock.now() + owed(organizationId) + costMs(tookMs))
      }
    },
  }
}

/**
 * What queries may hold in memory. `ordinarySamples`: each of those at once; `largeSamples`: one at a time; `points`: an
 * answer, until it has been read.
 */
export type QueryLimits = { ordinarySamples: number; largeSamples: number; points: number; series: number }

/** As `--query.max-samples` of Prometheus. */
const maxSamples = 50_000_000
const maxPoints = 10_000_000
const maxSeries = 100_000

/** Sixteen of a sample, and as many of what is made of it. */
const bytesOfSample = 32
const bytesOfPoint = 16

/** A quarter of the memory in all: an eighth for one that is large, a 64th for each of four others and of four answers. */
export function queryLimits(memoryBytes: number): QueryLimits {
  const share = (part: number, each: number, max: number) => Math.min(max, Math.floor(memoryBytes / part / each))
  return {
    ordinarySamples: share(64, bytesOfSample, maxSamples),
    largeSamples: share(8, bytesOfSample, maxSamples),
    points: share(64, bytesOfPoint, maxPoints),
    series: maxSeries,
  }
}
