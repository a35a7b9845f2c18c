import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { CpuBudget } from './cpu-budget.ts'
import { evaluateHere } from './evaluate-here.ts'
import type { AskWorker } from './jobs/ask-worker.ts'
import type { FromQuery, PointBatch, QueryEnd, QueryQuestion, ToQuery } from './jobs/messages.ts'
import { endOf, pointBatches } from './jobs/point-batches.ts'
import { supply } from './jobs/supply.ts'
import type { QueryLimits } from './query-limits.ts'
import type { SampleStore } from './store/sample-store.ts'

/** Both ends are included, in milliseconds. */
export type Range = { startMs: number; endMs: number; stepMs: number }

type Asked = { timeoutMs?: number; scheduled?: boolean; lookbackMs?: number; maxPoints?: number; signal?: AbortSignal }

/** What a query gives; the points of a vector or matrix in its order. */
export type Answered = QueryEnd & { points: PointBatch[] }

/**
 * Answers PromQL from the samples of one organization. Throws `invalid` (the text), `source_refused` (the data does not
 * allow it), `too_large` and `too_slow` (what one query may cost).
 */
export type Engine = {
  instant(organizationId: number, query: string, timeMs: number, asked?: Asked): Promise<Answered>
  range(organizationId: number, query: string, range: Range, asked?: Asked): Promise<Answered>
}

type Options = {
  store: Pick<SampleStore, 'find' | 'path' | 'foundDamaged' | 'selectFew'>
  ask: AskWorker
  budget: CpuBudget
  timeoutMs: number
  limits: QueryLimits
}

export function createEngine({ store, ask, budget, timeoutMs, limits }: Options): Engine {
  const largeOnes = createFairQueue<number>({ max: 1, maxOfGroup: 1 })

  function answerHere(organizationId: number, query: string, at: QueryQuestion['at'], asked: Asked) {
    const { scheduled = false, lookbackMs = null } = asked
    if (!scheduled) budget.assertLeft(organizationId)
    const end = scheduled ? () => {} : budget.begin(organizationId)
    try {
      const result = evaluateHere(store, { organizationId, query, at, lookbackMs })
      return result && { ...endOf(result), points: [...pointBatches(result)] }
    } finally {
      end()
    }
  }

  async function answer(
    organizationId: number,
    query: string,
    at: QueryQuestion['at'],
    asked: Asked,
  ): Promise<Answered> {
    return answerHere(organizationId, query, at, asked) ?? askWorker(organizationId, query, at, asked)
  }

  function askWorker(organizationId: number, query: string, at: QueryQuestion['at'], asked: Asked): Promise<Answered> {
    const over = Promise.withResolvers<void>()
    const answered = ask<ToQuery, FromQuery, Answered>(
      'query',
      async (talk, leftMs) => {
        const points: PointBatch[] = []
        talk.post({
          file: store.path,
          query,
          at,
          lookbackMs: asked.lookbackMs ?? null,
          leftMs,
          maxSeries: limits.series,
          maxPoints: Math.min(limits.points, asked.maxPoints ?? Infinity),
          maxSamples: [limits.ordinarySamples, limits.largeSamples],
        })
        for (;;) {
          const told = await talk.next()
          if ('find' in told) await supply(talk as Parameters<typeof supply>[0], store, organizationId, told)
          else if ('points' in told) points.push(told.points)
          else if ('damaged' in told) store.foundDamaged(told.damaged)
          else if ('end' in told) return { ...told.end, points }
          else if ('large' in told) {
            const leave = await largeOnes.enter(organizationId)
            void over.promise.then(leave)
            talk.post({ granted: true })
          }
        }
      },
      { timeoutMs, ...asked, organizationId },
    )
    return answered.finally(over.resolve)
  }

  return {
    instant: (organizationId, query, timeMs, asked = {}) => answer(organizationId, query, { timeMs }, asked),
    range: (organizationId, query, range, asked = {}) => answer(organizationId, query, range, asked),
  }
}
