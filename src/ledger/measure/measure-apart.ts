import { AppError } from '../../errors.ts'
import type { PlannedSlo } from '../../sli/plan/planned-slo.ts'
import type { Source } from '../../sources/source.ts'
import type { measureLedger } from './measure-ledger.ts'
import type { Span, MeasuredBuckets } from '../bucket.ts'

export type Measure = typeof measureLedger

/**
 * Like `measureLedger`, but what the source does not answer is an `error` of those it was asked for: an SLO that shares
 * no question with others fails alone.
 */
export async function measureApart(
  measure: Measure,
  source: Source,
  planned: PlannedSlo[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  const sharing = planned.filter(({ plan }) => plan.counters !== null)
  const others = planned.filter(({ plan }) => plan.counters === null)
  const groups = [sharing, ...others.map((one) => [one])].filter((group) => group.length > 0)
  const measured = await Promise.all(
    groups.map(async (group): Promise<Map<number, MeasuredBuckets>> => {
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
