import type { PlannedSlo } from '../../sli/plan/planned-slo.ts'
import type { SliPlan } from '../../sli/plan/plan.ts'
import type { Source } from '../../sources/source.ts'
import type { Counted } from './counted.ts'
import { measureCounters } from './measure-counters.ts'
import { eventKindOf, measureOther } from './measure-other.ts'
import type { MeasuredBuckets, Span } from '../bucket.ts'

/**
 * Measures buckets of many SLOs of one source in few requests; by SLO id. Minutes of counters are what the counters
 * gained, longer buckets what `increase` says; other queries are looked at as stored, at the end of each minute.
 * A question that fails (`source_refused`, `source_unavailable`) is an `error` of the SLOs it was asked for, and of no
 * other. A query that is no SLI has no buckets.
 */
export async function measureLedger(
  source: Source,
  planned: PlannedSlo[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  const counted: Counted[] = []
  const others: PlannedSlo[] = []
  for (const one of planned) {
    const { counters } = one.plan
    if (counters) counted.push({ sloId: one.slo.id, counters })
    else if (!one.plan.rawQuantity) others.push(one)
  }
  const [ofCounters, ...ofOthers] = await Promise.all([
    measureCounters(source, counted, span),
    ...others.map(async (one) => [one.slo.id, await measureOther(source, one, span)] as const),
  ])
  return new Map([...ofCounters, ...ofOthers])
}

/** Whether the buckets of an SLO count events; else they count seconds. */
export function countsEvents(plan: SliPlan): boolean {
  return plan.counters !== null || eventKindOf(plan) !== null
}
