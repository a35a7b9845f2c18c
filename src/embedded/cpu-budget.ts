import { type Clock, stopwatch } from '../clock.ts'
import { AppError } from '../errors.ts'

/** What the queries of each organization may cost: seconds of a worker, so many a minute and at once. */
export type CpuBudget = {
  /** Throws `rate_limited` for an organization that has used all it had. */
  assertLeft(organizationId: number): void
  /** Begins to count; the function that it gives ends it. */
  begin(organizationId: number): () => void
}

type Options = { secondsPerMinute: number; clock: Clock }

export function createCpuBudget({ secondsPerMinute, clock }: Options): CpuBudget {
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
      throw new AppError('rate_limited', 'Too many heavy queries', {
        details: `an organization has QUERY_CPU_SECONDS_PER_MINUTE=${secondsPerMinute} for its queries`,
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
