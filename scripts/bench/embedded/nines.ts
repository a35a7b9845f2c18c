import { bytesIn, openStore } from './blocks.ts'
import { scrapeInto } from './scrape-into.ts'
import { paceMs, scrapes } from './target.ts'
import { memoryOf } from '../support/load.ts'

/** Output of this script after all scrapes, as JSON. */
export type Report = {
  samples: number
  cpuSeconds: number
  memory: ReturnType<typeof memoryOf>
  diskBytes: number
}

/** Scrapes a target into a store as nines does, with a flush after each scrape. Arguments: the folder, the URL. */
const [folder = '', url = ''] = process.argv.slice(2)
const store = openStore(folder, Date.now())
const scrape = scrapeInto(store, 1, url)
const began = performance.now()
const cpuBefore = process.cpuUsage()
let count = 0
for (let at = 0; at < scrapes; at += 1) {
  await Bun.sleep(began + at * paceMs - performance.now())
  count += await scrape()
}
const { user, system } = process.cpuUsage(cpuBefore)
const report: Report = {
  samples: count,
  cpuSeconds: (user + system) / 1e6,
  memory: memoryOf(process.pid),
  diskBytes: bytesIn(folder),
}
process.stdout.write(JSON.stringify(report))
