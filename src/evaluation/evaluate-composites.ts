import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { stopwatch } from '../clock.ts'
import { inChunks } from '../concurrency/chunks.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { failingSource } from '../sources/source.ts'
import { type EvaluateDeps, evaluationOf, readRates, recentOf, recentSeconds, store } from './evaluate.ts'
import type { Evaluation } from './evaluation-store.ts'
import { freezePeriods } from './freeze-periods.ts'
import { measureComposites } from './measure-composites.ts'

const batchSize = 100
const noSource = failingSource('none', new AppError('source_unavailable', 'A composite has no source'))

/**
 * Evaluates composites from the ledgers of their members and stores the results, as `evaluateChunk` does for other SLOs. No source is
 * queried. The minutes of the members must be stored.
 */
export async function evaluateComposites(
  deps: EvaluateDeps,
  slos: readonly SloRow[],
  atSeconds: number,
): Promise<Evaluation[]> {
  const evaluations: Evaluation[] = []
  for (const batch of inChunks([...slos], batchSize)) {
    const beganMs = stopwatch.now()
    const planned = batch.map(deps.planner.plan)
    const measured = await measureComposites(deps, planned, atSeconds)
    const rates = await readRates(deps.db, planned, new Map(), atSeconds, ({ id }) => measured.get(id)?.stored)
    const evaluatedAtMs = deps.clock.now()
    const durationMs = Math.round(stopwatch.now() - beganMs)
    const done = planned.flatMap(({ slo }): Evaluation[] => {
      const one = measured.get(slo.id)
      if (!one) return []
      const ledger = one.isMixed ? undefined : rates.get(slo.id)
      const recent = recentOf(recentSeconds(undefined), ledger)
      return [{ ...evaluationOf(slo, one.values, ledger, atSeconds, evaluatedAtMs), recent, durationMs }]
    })
    const chunk = { source: noSource, origin: 'composite', isEmbedded: false, planned, atSeconds, hasTime: () => true }
    await store(deps, chunk, done)
    await freezePeriods(deps, chunk)
    evaluations.push(...done)
    await yieldToEventLoop() // SQLite is synchronous: other requests run in between
  }
  return evaluations
}
