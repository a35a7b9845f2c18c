import { createScraper } from '../../../src/embedded/collection/scrape.ts'
import type { SampleStore } from '../../../src/embedded/store/sample-store.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'

/** Returns a function that scrapes a target into a store and flushes, as nines does; it resolves to the number of samples. */
export function scrapeInto(store: SampleStore, organizationId: number, url: string): () => Promise<number> {
  const outbound = createOutbound({ deny: [] })
  const scraper = createScraper({ store, clock: { now: Date.now }, outbound, internalTargets: new Map(), version: '0' })
  const fixed = { name: 'bench', labels: {}, honorLabels: false, auth: null, intervalMs: 15_000, timeoutMs: 10_000 }
  const target = { id: organizationId, organizationId, url, ...fixed }
  const series = scraper.open(target)
  const { signal } = new AbortController()
  return async () => {
    const scraped = await scraper.run(target, signal, series.scrapeCache)
    const refused = await series.write(Date.now(), scraped, signal)
    if (refused !== null || !scraped.ok) throw new Error(`${scraped.error ?? refused}`)
    await store.flushCooperatively()
    return scraped.samples.length
  }
}
