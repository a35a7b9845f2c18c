import { createScraper } from '../../../src/embedded/collection/scrape.ts'
import type { ScrapeTarget } from '../../../src/embedded/collection/target.ts'
import type { TargetSeries } from '../../../src/embedded/collection/series/target-series.ts'
import type { LabelLimits } from '../../../src/embedded/store/labels.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeLater } from '../../support/closing.ts'
import { collectedWorld } from './collected-world.ts'

export const minute = 60_000
export const start = 100 * 60 * minute

export const someTarget: ScrapeTarget = {
  id: 1,
  organizationId: 1,
  name: 'shop',
  url: 'http://127.0.0.1:1/metrics',
  intervalMs: 15_000,
  timeoutMs: 5000,
  labels: { instance: 'i' },
  honorLabels: false,
  auth: null,
}

type Settings = { target?: Partial<ScrapeTarget>; inside?: Record<string, string>; limits?: LabelLimits }

/** Scrapes one target into a store when the test says so. */
export function scraping({ target: wanted = {}, inside = {}, ...settings }: Settings = {}) {
  const world = collectedWorld(settings)
  closeLater(world.close)
  const scraper = createScraper({
    outbound: createOutbound({ deny: [] }),
    store: world.store(),
    clock: world.clock,
    internalTargets: new Map(Object.entries(inside).map(([name, text]) => [name, async () => Buffer.from(text)])),
    version: '1.2.3',
  })
  const target = { ...someTarget, ...wanted }
  let series: TargetSeries | undefined
  return {
    ...world,
    scraper,
    target,
    run: () => scraper.run(target, new AbortController().signal),
    /** Runs a scrape due so many minutes after the start. Returns its error, or null. */
    async scrape(minutes: number): Promise<string | null> {
      world.setNow(start + minutes * minute)
      series ??= scraper.open(target)
      const scraped = await scraper.run(target, new AbortController().signal, series.scrapeCache)
      const refusal = await series.write(start + minutes * minute, scraped)
      return scraped.error ?? refusal
    },
    end(minutes: number) {
      series?.end(start + minutes * minute)
    },
    /** `[minutes since the start, value]` of each sample, by series name. */
    values: (metrics = 'm.*') =>
      Object.fromEntries(
        Object.entries(world.kept(metrics)).map(([name, samples]) => [
          name,
          samples.map(([timeMs, value]) => [(timeMs - start) / minute, value]),
        ]),
      ),
  }
}
