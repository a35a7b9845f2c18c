import { AppError } from '../../errors.ts'
import { labelOf } from '../../promql/labels.ts'
import { matcher, type Matcher } from '../../promql/matchers.ts'
import type { Label } from '../exposition/sample.ts'
import type { SampleStore } from '../store/sample-store.ts'

/** Looks for stored series without reading many. If there are too many to read, the answer is true. */
export type StoredSeries = {
  /** True if a series with these labels among others matches, and has samples. */
  hasSome(organizationId: number, matchers: readonly Matcher[], labels: readonly Label[]): boolean
  /** True if a series without one of these labels matches, and has samples since `sinceMs`. */
  hasOthers(organizationId: number, matchers: readonly Matcher[], labels: readonly Label[], sinceMs: number): boolean
}

const readLimits = { series: 10_000, patternSteps: 1_000_000, chunks: 100 }

export function createStoredSeries(store: Pick<SampleStore, 'selectSmall' | 'oldestMs'>): StoredSeries {
  /** Series that match; undefined: too many. */
  function select(organizationId: number, matchers: readonly Matcher[], fromMs: number, maxSamples: number) {
    try {
      return store.selectSmall(organizationId, matchers, fromMs, Infinity, { ...readLimits, samples: maxSamples })
    } catch (error) {
      if (error instanceof AppError && error.kind === 'too_large') return undefined
      throw error
    }
  }

  return {
    hasSome(organizationId, matchers, labels) {
      const own = labels.map(([name, value]) => matcher(name, '=', value))
      return select(organizationId, [...matchers, ...own], store.oldestMs(), 0)?.length !== 0
    },
    hasOthers(organizationId, matchers, labels, sinceMs) {
      const found = select(organizationId, matchers, sinceMs, readLimits.series)
      return found?.some((series) => labels.some(([name, value]) => labelOf(series.labels, name) !== value)) ?? true
    },
  }
}
