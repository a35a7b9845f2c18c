import { createSeriesWriter } from '../../../src/embedded/collection/series/series-writer.ts'
import { parseExposition } from '../../../src/embedded/exposition/parse.ts'
import { bytesIn, openStore } from './blocks.ts'
import { paceMs, scrapes } from './target.ts'
import { memoryOf } from '../support/load.ts'

/** What this prints, as JSON, after all scrapes; `maxMs`: the longest that nothing else had its turn. */
export type Report = {
  samples: number
  cpuSeconds: number
  maxMs: number
  memory: ReturnType<typeof memoryOf>
  diskBytes: number
}

/** Scrapes a target into a store in a folder, with a flush after each; arguments: the folder, the URL. */
const [folder = '', url = ''] = process.argv.slice(2)
const store = openStore(folder, Date.now())
const labels = [
  ['instance', new URL(url).host],
  ['job', 'bench'],
] as const
const writer = createSeriesWriter({ store, clock: { now: Date.now }, organizationId: 1, labels })
const began = performance.now()
const cpuBefore = process.cpuUsage()
let [maxMs, count] = [0, 0]
for (let scrape = 0; scrape < scrapes; scrape += 1) {
  await Bun.sleep(began + scrape * paceMs - performance.now())
  const response = await fetch(url)
  const body = await response.bytes()
  const scrapedMs = performance.now()
  const { samples } = parseExposition(body, { contentType: response.headers.get('content-type') })
  const written = writer.write(samples, Date.now())
  count += written.samples - written.dropped
  store.flush()
  maxMs = Math.max(maxMs, performance.now() - scrapedMs)
}
const { user, system } = process.cpuUsage(cpuBefore)
const report: Report = {
  samples: count,
  cpuSeconds: (user + system) / 1e6,
  maxMs,
  memory: memoryOf(process.pid),
  diskBytes: bytesIn(folder),
}
process.stdout.write(JSON.stringify(report))
