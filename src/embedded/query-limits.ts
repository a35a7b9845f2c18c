import { type Clock, minuteMs, stopwatch } from '../clock.ts'
import { AppError } from '../errors.ts'

/** Budget for the queries or imports of each organization, in CPU seconds per minute; may be used up at once. */
export type CpuBudget = {
  /** Throws `rate_limited` if the organization has used up its budget. */
  assertLeft(organizationId: number): void
  /** Starts measuring. The returned function stops and charges the time. */
  begin(organizationId: number): () => void
}

/** `clock`: times the refill of the budgets; a stopwatch, so that they do not depend on the wall clock. */
type Options = { secondsPerMinute: number; clock: Clock; workload?: 'queries' | 'imports' }

export function createCpuBudget({ secondsPerMinute, clock, workload = 'queries' }: Options): CpuBudget {
  /** Time at which the budget of each organization is full again. Requests are refused if it is a minute or more ahead. */
  const fullAtMs = new Map<number, number>()
  /** Time in which the budget regains so much CPU time. */
  const refillMs = (ms: number) => (ms * 60) / secondsPerMinute

  function owedMsOf(organizationId: number): number {
    const owedMs = (fullAtMs.get(organizationId) ?? 0) - clock.now()
    if (owedMs <= 0) fullAtMs.delete(organizationId)
    return Math.max(0, owedMs)
  }

  return {
    assertLeft(organizationId) {
      const excessMs = owedMsOf(organizationId) - minuteMs
      if (excessMs < 0) return
      throw new AppError('rate_limited', `Too many heavy ${workload}`, {
        details: `an organization has QUERY_CPU_SECONDS_PER_MINUTE=${secondsPerMinute} for its ${workload}`,
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(excessMs / 1000))) },
      })
    },
    begin(organizationId) {
      const beganMs = stopwatch.now()
      return () => {
        const tookMs = stopwatch.now() - beganMs
        fullAtMs.set(organizationId, clock.now() + owedMsOf(organizationId) + refillMs(tookMs))
      }
    },
  }
}

/**
 * Limits of what queries hold in memory. `ordinarySamples`: samples of each concurrent query; `largeSamples`: samples of the
 * single large query at a time; `points`: points of an answer, until it has been read.
 */
export type QueryLimits = { ordinarySamples: number; largeSamples: number; points: number; series: number }

/** Default of Prometheus' `--query.max-samples`. */
const maxSamples = 50_000_000
const maxPoints = 10_000_000
const maxSeries = 100_000

/** 16 bytes for a sample, and as many for the result computed from it. */
const bytesOfSample = 32
const bytesOfPoint = 16

/**
 * Splits a quarter of the memory: an eighth of the memory for one large query, a 64th for each of four others and of four
 * answers.
 */
export function queryLimits(memoryBytes: number): QueryLimits {
  const share = (part: number, bytesEach: number, max: number) =>
    Math.min(max, Math.floor(memoryBytes / part / bytesEach))
  return {
    ordinarySamples: share(64, bytesOfSample, maxSamples),
    largeSamples: share(8, bytesOfSample, maxSamples),
    points: share(64, bytesOfPoint, maxPoints),
    series: maxSeries,
  }
}
