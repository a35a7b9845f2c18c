import { openSamples } from '../../../src/db/open-samples.ts'
import { createSampleStore } from '../../../src/embedded/store/sample-store.ts'
import { labels } from './store-world.ts'

/**
 * A child process to be killed. It appends a round of samples to each series, prints the number of rounds after each flush, and
 * never ends.
 */
const [dataDir = ''] = process.argv.slice(2)
const names = Array.from({ length: 50 }, (_, index) => labels({ series: `${index}` }))
const store = createSampleStore({ file: openSamples(dataDir), clock: { now: () => 0 }, keepMs: 1e15, maxBytes: 4e6 })
for (let round = 0; ; round += 1) {
  for (const [series, name] of names.entries()) store.append(1, name, round * 1000, round * series)
  if (round % 20 !== 19) continue
  store.flush()
  process.stdout.write(`${round + 1}\n`)
}
