import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { type CalculationWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { calculateSlo } from './calculate.ts'
import { factsOfSource, type Made, type Question, remembered } from './cached.ts'
import { cachedEnd } from './cached-end.ts'
import type { Planner } from './plan/planner.ts'
import { type CalculationResult, isCalculationResult, presentCalculation } from './model.ts'
import type { SourceOpener } from '../sources/source.ts'
import { definitionOf } from './plan/sli-definition.ts'
import { getUsableSource, openOrSilent, openRow } from '../sources/sources.ts'

export type CachedDeps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  planner: Planner
  cache: Cache
}

type Wanted = { window: CalculationWindow; extendTime?: string | undefined; withDetails: boolean }

/** What a calculation of an SLO says, of now or of the step that is shared; throws what `calculateSlo` does. */
export async function cachedCalculation(deps: CachedDeps, slo: SloRow, wanted: Wanted): Promise<CalculationResult> {
  const { question, make } = await askCalculation(deps, slo, wanted)
  const { answer, cached } = await remembered(deps, question, make)
  return { ...answer, metadata: { ...answer.metadata, cached } }
}

/** The question and how it is answered by the source. */
export async function askCalculation(
  deps: CachedDeps,
  slo: SloRow,
  { window, extendTime, withDetails }: Wanted,
): Promise<{ question: Question<CalculationResult>; make: () => Promise<Made<CalculationResult>> }> {
  const { db, clock, planner } = deps
  const row = await getUsableSource(db.read, slo.organization_id, slo.source_id)
  const planned = await planner.decide(openOrSilent(deps, row), planner.plan(slo), Math.floor(clock.now() / 1000))
  const definition = definitionOf(slo)
  const { metricQuery, goodQuery, badQuery, totalQuery } = definition
  const expressions = [metricQuery, goodQuery, badQuery, totalQuery].filter((text) => text !== null)
  const asked = { extendTime, windowSeconds: windowSeconds(window), expressions }
  const { endSeconds, holdsMs } = cachedEnd(asked, clock.now())
  const { revision, name, target, time_window, query_unit, inferred_unit } = slo
  const learned = [inferred_unit, planned.plan.sides !== null, planned.plan.stored] // of its data, which says more from one minute to the next
  const measuredAs = [revision, name, target, time_window, query_unit, definition, learned]
  return {
    question: {
      organizationId: slo.organization_id,
      sloId: slo.id,
      timeWindow: window,
      query: planned.plan.written,
      facts: ['calculation', factsOfSource(row), measuredAs, window, withDetails, endSeconds],
      holdsMs,
      isAnswer: isCalculationResult,
    },
    async make() {
      const done = await calculateSlo(deps, planned, openRow(deps, row), { window, endSeconds, withDetails })
      const answer = presentCalculation(done, withDetails, clock.now())
      const isKnown = answer.current_value !== null && answer.error_budget.used !== null
      return { answer, isWhole: !done.partial, isKnown }
    },
  }
}
