import { createScraper } from '../../../src/embedded/collection/scrape.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { bytesIn, openStore } from './blocks.ts'
import { paceMs, scrapes } from './target.ts'
import { memoryOf } from '../support/load.ts'

/** What this prints, as JSON, after all scrapes. */
export type Report = {
  samples: number
  cpuSeconds: number
  memory: ReturnType<typeof memoryOf>
  diskBytes: number
}

/** Scrapes a target into a store in a folder as nines does, with a flush after each; arguments: the folder, the URL. */
const [folder = '', url = ''] = process.argv.slice(2)
const store = openStore(folder, Date.now())
const deps = {
  store,
  clock: { now: Date.now },
  outbound: createOutbound({ deny: [] }),
  inside: new Map(),
  version: '0',
}
const scraper = createScraper(deps)
const times = { intervalMs: 15_000, timeoutMs: 10_000 }
const target = { id: 1, organizationId: 1, name: 'bench', url, labels: {}, honorLabels: false, auth: null, ...times }
const series = scraper.open(target)
const { signal } = new AbortController()
const began = performance.now()
const cpuBefore = process.cpuUsage()
let count = 0
for (let scrape = 0; scrape < scrapes; scrape += 1) {
  await Bun.sleep(began + scrape * paceMs - performance.now())
  const scraped = await scraper.run(target, signal, series.known)
  const refused = await series.write(Date.now(), scraped, signal)
  if (refused !== null || !scraped.ok) throw new Error(`${scraped.error ?? refused}`)
  count += scraped.readings.length
  await store.flushInTurns()
}
const { user, system } = process.cpuUsage(cpuBefore)
const report: Report = {
  samples: count,
  cpuSeconds: (user + system) / 1e6,
  memory: memoryOf(process.pid),
  diskBytes: bytesIn(folder),
}
process.stdout.write(JSON.stringify(report))
