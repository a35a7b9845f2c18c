import { createScraper } from '../../../src/embedded/collection/scrape.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { maxGapMs } from '../support/stall.ts'
import { openStore } from './blocks.ts'

/** Milliseconds for which the event loop did nothing else, at most. */
export type Stalls = { first: number; again: number; fresh: number }

/**
 * Scrapes and flushes as nines does; arguments: a folder, the URL of a large exposition, that of one whose series are new each
 * time.
 */
const [folder = '', large = '', fresh = ''] = process.argv.slice(2)
const store = openStore(folder, Date.now())
const deps = {
  store,
  clock: { now: Date.now },
  outbound: createOutbound({ deny: [] }),
  inside: new Map(),
  version: '0',
}
const scraper = createScraper(deps)
const times = { intervalMs: 15_000, timeoutMs: 60_000 }
const { signal } = new AbortController()

function opened(organizationId: number, url: string) {
  const target = {
    id: organizationId,
    organizationId,
    name: 'bench',
    url,
    labels: {},
    honorLabels: false,
    auth: null,
    ...times,
  }
  const series = scraper.open(target)
  return async () => {
    const scraped = await scraper.run(target, signal, series.known)
    const refused = await series.write(Date.now(), scraped, signal)
    if (refused !== null || !scraped.ok) throw new Error(`${scraped.error ?? refused}`)
    await store.flushInTurns()
  }
}

const [scrapeLarge, scrapeFresh] = [opened(1, large), opened(2, fresh)]
const stalls: Stalls = {
  first: await maxGapMs(scrapeLarge),
  again: await maxGapMs(scrapeLarge),
  fresh: 0,
}
await scrapeFresh()
for (let round = 0; round < 3; round += 1) stalls.fresh = Math.max(stalls.fresh, await maxGapMs(scrapeFresh))
process.stdout.write(JSON.stringify(stalls))
