import type { Definition } from '../../slos/definition.ts'
import { AppError } from '../../errors.ts'
import { type PlannedSlo, planSli, type SliPlan } from '../../sli/plan/plan.ts'
import type { Source } from '../../sources/source.ts'
import type { MeasuredBuckets, Span } from '../bucket.ts'
import type { CountedSlo } from '../counters/query-counters.ts'
import { measureCounters } from './measure-counters.ts'
import { eventKindOf, measureWithoutCounters } from './measure-without-counters.ts'

export type Measure = (source: Source, planned: PlannedSlo[], span: Span) => Promise<Map<number, MeasuredBuckets>>

/**
 * Measures buckets of many SLOs of one source in few requests; by SLO id. `measureCounters` measures sums of counters,
 * `measureWithoutCounters` any other query. A query that fails (`source_refused`, `source_unavailable`) is an `error` of the SLOs it was
 * sent for, and of no other. A query that is no SLI has no buckets. `sampledAtSeconds`: time at which sample intervals are looked
 * up first, instead of the end of the span.
 */
export async function measureLedger(
  source: Source,
  planned: PlannedSlo[],
  span: Span,
  sampledAtSeconds?: number,
): Promise<Map<number, MeasuredBuckets>> {
  const counted: CountedSlo[] = []
  const others: PlannedSlo[] = []
  for (const one of planned) {
    const { counters } = one.plan
    if (counters) counted.push({ sloId: one.slo.id, counters })
    else if (!one.plan.isRawQuantity) others.push(one)
  }
  const [fromCounters, fromOthers] = await Promise.all([
    measureCounters(source, counted, span, sampledAtSeconds),
    measureWithoutCounters(source, others, span, sampledAtSeconds),
  ])
  return new Map([...fromCounters, ...fromOthers])
}

/**
 * Like `measureLedger`, but if the source does not answer, the `error` is only of the SLOs measured together: an SLO that
 * shares no query fails alone.
 */
export async function measureIsolated(
  measure: Measure,
  source: Source,
  planned: PlannedSlo[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  const groups = Map.groupBy(planned, ({ plan }) => plan.counters === null)
  const measured = await Promise.all(
    [...groups.values()].map(async (group): Promise<Map<number, MeasuredBuckets>> => {
      try {
        return await measure(source, group, span)
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'source_unavailable') throw error
        return new Map(group.map(({ slo }) => [slo.id, { error }]))
      }
    }),
  )
  return new Map(measured.flatMap((results) => [...results]))
}

/** True if the buckets of an SLO count events, not seconds. */
export function countsEvents(plan: SliPlan): boolean {
  if (plan.composite !== null) return plan.composite.method === 'events'
  return plan.counters !== null || eventKindOf(plan) !== null
}

/** True if an SLO of this definition counts events, not time. */
export function definitionCountsEvents(definition: Definition): boolean {
  return countsEvents(planSli(definition))
}
