import { maxGapMs } from '../support/stall.ts'
import { openStore } from './blocks.ts'
import { scrapeInto } from './scrape-into.ts'

/** Milliseconds for which the event loop did nothing else, at most. */
export type Stalls = { first: number; again: number; fresh: number }

/**
 * Scrapes and flushes as nines does; arguments: a folder, the URL of a large exposition, that of one whose series are new each
 * time.
 */
const [folder = '', large = '', fresh = ''] = process.argv.slice(2)
const store = openStore(folder, Date.now())
const [scrapeLarge, scrapeFresh] = [scrapeInto(store, 1, large), scrapeInto(store, 2, fresh)]
const stalls: Stalls = {
  first: await maxGapMs(scrapeLarge),
  again: await maxGapMs(scrapeLarge),
  fresh: 0,
}
await scrapeFresh()
for (let round = 0; round < 3; round += 1) stalls.fresh = Math.max(stalls.fresh, await maxGapMs(scrapeFresh))
process.stdout.write(JSON.stringify(stalls))
