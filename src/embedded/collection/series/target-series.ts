import type { Clock } from '../../../clock.ts'
import { AppError } from '../../../errors.ts'
import type { ScrapeCache } from '../../exposition/scrape-cache.ts'
import type { FamilyMetadata } from '../../exposition/sample.ts'
import type { SampleStore } from '../../store/sample-store.ts'
import { type Family, limitedFamilies } from '../families.ts'
import type { ItemSeries, Outcome } from '../item.ts'
import { createSeriesWriter } from './series-writer.ts'
import { instanceOf, targetLabels } from './target-labels.ts'
import type { ScrapeTarget } from '../target.ts'

/** Result of a scrape. `metadata`: by the names of the exposed metric families. */
export type Scraped = Outcome & { metadata?: ReadonlyMap<string, FamilyMetadata> }

/** The series of one target. */
export type TargetSeries = {
  /**
   * Writes a scrape, and `up` and similar series, all at `timeMs`. If the scrape failed, ends the previous series and writes
   * `up` 0. A scrape beyond the limits of the store counts as failed: none of its samples is written, and the reason is
   * returned. Throws `unavailable` if nines lacks memory for it; nothing is written then. Unlike in Prometheus, an
   * `up` that the target exposes does not hide that of nines.
   */
  write(timeMs: number, scraped: Scraped, signal?: AbortSignal): Promise<string | null>
  end: ItemSeries['end']
  scrapeCache?: ScrapeCache
  /** Metric families of the newest successful scrape. */
  families(): Family[]
}

export type SeriesDeps = {
  store: Pick<SampleStore, 'refOf' | 'appendTo' | 'declare' | 'raisingBarrier' | 'oldestMs'>
  clock: Clock
}

/** Opens the series of a target. `scrapeCache` is cleared if a scrape is refused, and at the end. */
export function openTargetSeries(
  { store, clock }: SeriesDeps,
  target: ScrapeTarget,
  scrapeCache?: ScrapeCache,
): TargetSeries {
  const { organizationId, honorLabels } = target
  const labels = targetLabels(target, instanceOf(target.url))
  const writer = createSeriesWriter({ store, clock, organizationId, labels, honorLabels, reports })
  let families: Family[] = []
  let lastMetadata: Scraped['metadata']

  async function put(timeMs: number, up: 0 | 1, { samples, durationMs }: Scraped, signal: AbortSignal): Promise<void> {
    const { samples: count, added } = await writer.writeCooperatively(samples, timeMs, signal)
    writer.report([up, Math.round(durationMs * 1000) / 1e6, count, count, added], timeMs)
  }

  return {
    async write(timeMs, scraped, signal = neverAborted) {
      try {
        await put(timeMs, scraped.ok ? 1 : 0, scraped, signal)
        if (!scraped.ok || !scraped.metadata || scraped.metadata === lastMetadata) return null
        lastMetadata = scraped.metadata
        families = limitedFamilies(lastMetadata)
        return null
      } catch (error) {
        signal.throwIfAborted()
        scrapeCache?.clear()
        const refusal = refusalOf(error)
        try {
          await put(timeMs, 0, { ...scraped, samples: [] }, signal)
        } catch (upError) {
          refusalOf(upError) // rethrows the error unless the store has no room for `up` either
        }
        return refusal
      }
    },
    end(timeMs) {
      scrapeCache?.clear()
      return writer.end(timeMs)
    },
    families: () => families,
    ...(scrapeCache && { scrapeCache }),
  }
}

const neverAborted = new AbortController().signal

/** Series reported on a target, in the order of their values. */
const reports = [
  'up',
  'scrape_duration_seconds',
  'scrape_samples_scraped',
  'scrape_samples_post_metric_relabeling',
  'scrape_series_added',
]

function refusalOf(error: unknown): string {
  if (error instanceof AppError && ['invalid', 'conflict'].includes(error.kind)) return error.details ?? error.message
  throw error
}
