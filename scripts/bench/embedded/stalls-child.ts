import { maxGapMs } from '../support/stall.ts'
import { openStore } from './blocks.ts'
import { scrapeInto } from './scrape-into.ts'

/** Longest blocks of the event loop, in milliseconds. */
export type Stalls = { first: number; again: number; fresh: number }

/**
 * Scrapes and flushes as nines does. Arguments: a folder, the URL of a large exposition, the URL of one whose series are new at
 * each scrape.
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
